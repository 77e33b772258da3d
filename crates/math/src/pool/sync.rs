//! The atomics and locks of the pool: those of the standard library. In tests each operation on them is a place where a [`super::model`] may let another
//! thread go on; without a model they do the same there.

#[cfg(not(test))]
pub(super) use std::{
    hint::spin_loop,
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, fence},
    sync::{Condvar, Mutex, MutexGuard},
    thread::yield_now,
};

#[cfg(test)]
pub(super) use observed::{AtomicBool, AtomicU64, AtomicUsize, Condvar, Mutex, MutexGuard};
#[cfg(test)]
pub(super) use observed::{fence, spin_loop, yield_now};

#[cfg(test)]
mod observed {
    use super::super::model;
    use std::ops::{Deref, DerefMut};
    use std::sync::atomic::Ordering;
    use std::sync::{LockResult, PoisonError, atomic};

    macro_rules! words {
        ($($name:ident $number:ty),*) => {$(
            #[derive(Debug, Default)]
            pub struct $name(atomic::$name);

            impl $name {
                pub const fn new(value: $number) -> Self {
                    Self(atomic::$name::new(value))
                }

                pub fn load(&self, order: Ordering) -> $number {
                    model::step();
                    self.0.load(order)
                }

                pub fn store(&self, value: $number, order: Ordering) {
                    model::step();
                    self.0.store(value, order);
                }
            }
        )*};
    }
    words!(AtomicBool bool, AtomicU64 u64, AtomicUsize usize);

    impl AtomicBool {
        pub fn swap(&self, value: bool, order: Ordering) -> bool {
            model::step();
            self.0.swap(value, order)
        }
    }

    impl AtomicU64 {
        pub fn compare_exchange_weak(
            &self,
            from: u64,
            to: u64,
            success: Ordering,
            failure: Ordering,
        ) -> Result<u64, u64> {
            model::step();
            self.0.compare_exchange(from, to, success, failure)
        }
    }

    impl AtomicUsize {
        pub fn fetch_add(&self, value: usize, order: Ordering) -> usize {
            model::step();
            self.0.fetch_add(value, order)
        }

        pub fn fetch_sub(&self, value: usize, order: Ordering) -> usize {
            model::step();
            self.0.fetch_sub(value, order)
        }

        pub fn into_inner(self) -> usize {
            self.0.into_inner()
        }
    }

    pub fn fence(order: Ordering) {
        atomic::fence(order);
    }

    pub fn spin_loop() {
        if !model::pause() {
            std::hint::spin_loop();
        }
    }

    pub fn yield_now() {
        if !model::pause() {
            std::thread::yield_now();
        }
    }

    #[derive(Debug, Default)]
    pub struct Mutex<T>(std::sync::Mutex<T>);

    pub struct MutexGuard<'a, T> {
        of: &'a Mutex<T>,
        guard: Option<std::sync::MutexGuard<'a, T>>,
    }

    impl<T> Mutex<T> {
        pub const fn new(value: T) -> Self {
            Self(std::sync::Mutex::new(value))
        }

        /// Where those sleep who wait for it.
        fn bell(&self) -> usize {
            std::ptr::from_ref(self).addr()
        }

        pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
            let mut guard = None;
            if model::is_on() {
                // Of all threads of a model one runs at a time: who finds it locked sleeps until it is not.
                while guard.is_none() {
                    model::step();
                    guard = self.0.try_lock().ok();
                    if guard.is_none() {
                        model::sleep(self.bell());
                    }
                }
            }
            let guard = guard.unwrap_or_else(|| self.0.lock().unwrap_or_else(PoisonError::into_inner));
            Ok(MutexGuard { of: self, guard: Some(guard) })
        }
    }

    impl<T> Drop for MutexGuard<'_, T> {
        fn drop(&mut self) {
            if self.guard.take().is_some() {
                model::wake(self.of.bell());
            }
        }
    }

    impl<T> Deref for MutexGuard<'_, T> {
        type Target = T;

        fn deref(&self) -> &T {
            self.guard.as_ref().expect("a guard that is held")
        }
    }

    impl<T> DerefMut for MutexGuard<'_, T> {
        fn deref_mut(&mut self) -> &mut T {
            self.guard.as_mut().expect("a guard that is held")
        }
    }

    #[derive(Debug, Default)]
    pub struct Condvar(std::sync::Condvar);

    impl Condvar {
        pub const fn new() -> Self {
            Self(std::sync::Condvar::new())
        }

        pub fn wait<'a, T>(&self, mut guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
            let held = guard.guard.take().expect("a guard that is held");
            if model::is_on() {
                drop(held);
                model::wake(guard.of.bell());
                model::sleep(std::ptr::from_ref(self).addr());
                return guard.of.lock();
            }
            guard.guard = Some(self.0.wait(held).unwrap_or_else(PoisonError::into_inner));
            Ok(guard)
        }

        pub fn notify_all(&self) {
            model::step();
            model::wake(std::ptr::from_ref(self).addr());
            self.0.notify_all();
        }
    }
}
