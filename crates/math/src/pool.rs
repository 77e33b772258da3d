//! A small pool of threads: a list of chunks is worked off by the caller and its workers side by side.
//!
//! **The law of chunks**: who runs a chunk, and when, changes no bit. Chunks are cut by the scene, never by the number of threads; a chunk writes
//! what no other chunk of its job reads or writes; and sums go from chunk to chunk in their order, on the caller.
//!
//! A job is a function and a number of chunks. Each thread has a seat: one word with the chunks that it should begin with, which no other thread
//! writes unless it has run out of its own. It claims half of what is left there each time, so that its chunks lie side by side, and the other half
//! can be taken by those that are done. So a thread finds the same part of a list in every pass, near in its cache. A
//! thread that is late delays nobody: its chunks are taken by the others, and the caller waits for chunks that somebody has begun, not for
//! threads. Workers spin between two jobs, then give way to others, then sleep.
//!
//! Workers start with [`Pool::start`], or with the first job that has more than one chunk, so that small worlds have none.

#[cfg(test)]
mod model;
mod sync;

use std::any::Any;
use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock, PoisonError};
use std::thread::JoinHandle;
use sync::{AtomicBool, AtomicU64, AtomicUsize, Condvar, Mutex, MutexGuard, fence, spin_loop, yield_now};

/// Most threads of a pool.
pub const MOST_THREADS: usize = 256;

/// Looks at its seat of a worker that waits: in a loop, then giving way to other threads each time, before it sleeps. Together some
/// 50 µs: with 200 µs steps of the towers took 0.97 ms on a loaded machine, where the two threads often share a core, with 50 µs 0.72 ms.
const SPINS: u32 = 1000;
const YIELDS: u32 = 64;

/// The same where there are more threads than cores: a thread that spins takes a core from one that works.
const SPINS_CROWDED: u32 = 32;
const YIELDS_CROWDED: u32 = 16;

/// Looks of the caller at what is not done before it gives way.
const WAITS: u32 = 256;

/// Bits of a place in a seat.
const BITS: u32 = 12;
const MASK: u64 = (1 << BITS) - 1;

/// Number of cores that this process may use: affinity and quotas of control groups included; 1 where nobody knows.
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS)
}

/// Some threads that work off chunks together. A clone is the same pool: who finds it busy works alone.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    /// None for the caller alone, the default.
    inner: Option<Arc<Inner>>,
}

impl Pool {
    /// A pool of so many threads, the caller among them, from 1 to [`MOST_THREADS`]. No thread starts before there is work for it.
    pub fn new(threads: usize) -> Self {
        let threads = threads.clamp(1, MOST_THREADS);
        let inner = || Arc::new(Inner { threads, is_busy: AtomicBool::new(false), crew: OnceLock::new() });
        Self { inner: (threads > 1).then(inner) }
    }

    /// Another pool with as many threads.
    pub fn another(&self) -> Self {
        Self::new(self.threads())
    }

    /// Number of threads, the caller among them.
    pub fn threads(&self) -> usize {
        self.inner.as_ref().map_or(1, |inner| inner.threads)
    }

    /// Starts the workers, if they have not been started yet: from then on no job allocates.
    pub fn start(&self) {
        if let Some(inner) = &self.inner {
            inner.crew();
        }
    }

    /// Number of threads that could not be started; what they would have done, the others do.
    pub fn missing(&self) -> usize {
        let crew = self.inner.as_ref().and_then(|inner| inner.crew.get());
        crew.map_or(0, |crew| self.threads() - 1 - crew.workers.len())
    }

    /// Calls `run(chunk, thread)` once for every chunk below `chunks`, and returns when all are done. The thread is a number below
    /// [`Pool::threads`]: no two calls at the same time have the same.
    ///
    /// # Panics
    /// When a chunk does, after all that were begun have ended.
    #[inline]
    pub fn for_chunks(&self, chunks: usize, run: impl Fn(usize, usize) + Sync) {
        self.for_ranges(chunks, |range, thread| range.for_each(|chunk| run(chunk, thread)));
    }

    /// As [`Pool::for_chunks`], with some neighbours at a time: all of them where the caller works alone.
    ///
    /// # Panics
    /// When a chunk does, after all that were begun have ended.
    #[inline]
    pub fn for_ranges(&self, chunks: usize, run: impl Fn(Range<usize>, usize) + Sync) {
        if chunks > 1
            && let Some(inner) = &self.inner
            && inner.share(chunks, &run)
        {
            return;
        }
        run(0..chunks, 0);
    }

    /// Calls `run(first, part)` for parts of `size` entries of a list, the last may be shorter; `first` is the place of the first entry of the part.
    #[inline]
    pub fn for_parts<T: Send>(&self, list: &mut [T], size: usize, run: impl Fn(usize, &mut [T]) + Sync) {
        let len = list.len();
        let list = Lent::new(list);
        self.for_chunks(len.div_ceil(size), |chunk, _| {
            let range = part(chunk, size, len);
            // SAFETY: parts of different chunks do not overlap, and each chunk runs once.
            run(range.start, unsafe { list.slice(range) });
        });
    }
}

/// Part number `chunk` of `len` entries in parts of `size`.
#[inline(always)]
pub fn part(chunk: usize, size: usize, len: usize) -> Range<usize> {
    chunk * size..((chunk + 1) * size).min(len)
}

/// A list that several threads write in different places.
#[derive(Debug)]
pub struct Lent<'a, T> {
    start: *mut T,
    len: usize,
    list: PhantomData<&'a mut [T]>,
}

impl<T> Clone for Lent<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Lent<'_, T> {}

// SAFETY: it is a mutable borrow of a list of things that may go to other threads; each of its methods asks that threads keep apart.
unsafe impl<T: Send> Send for Lent<'_, T> {}
// SAFETY: the same.
unsafe impl<T: Send> Sync for Lent<'_, T> {}

impl<'a, T> Lent<'a, T> {
    /// Lends a list for as long as it is borrowed.
    #[inline(always)]
    pub fn new(list: &'a mut [T]) -> Self {
        Self { start: list.as_mut_ptr(), len: list.len(), list: PhantomData }
    }

    /// Its first entries.
    #[inline(always)]
    pub fn first(self, len: usize) -> Self {
        assert!(len <= self.len, "a part of a list must lie in it");
        Self { len, ..self }
    }

    /// Number of entries.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// True for an empty list.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Some entries.
    ///
    /// # Safety
    /// While the slice lives, nobody else reads or writes any of these entries.
    #[inline(always)]
    #[allow(clippy::mut_from_ref, reason = "the caller promises that nobody else has these entries")]
    pub unsafe fn slice(&self, range: Range<usize>) -> &'a mut [T] {
        assert!(range.start <= range.end && range.end <= self.len, "a part of a list must lie in it");
        // SAFETY: the range lies in the list, which is borrowed for 'a, and the caller promises that nobody else has these entries.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.len()) }
    }

    /// One entry.
    ///
    /// # Safety
    /// While the reference lives, nobody else reads or writes the entry.
    #[inline(always)]
    #[allow(clippy::mut_from_ref, reason = "the caller promises that nobody else has this entry")]
    pub unsafe fn entry(&self, at: usize) -> &'a mut T {
        assert!(at < self.len, "an entry of a list must lie in it");
        // SAFETY: the place lies in the list, which is borrowed for 'a, and the caller promises that nobody else has this entry.
        unsafe { &mut *self.start.add(at) }
    }

    /// One entry, to be read.
    ///
    /// # Safety
    /// While the reference lives, nobody writes the entry.
    #[inline(always)]
    pub unsafe fn read(&self, at: usize) -> &'a T {
        assert!(at < self.len, "an entry of a list must lie in it");
        // SAFETY: the place lies in the list, which is borrowed for 'a, and the caller promises that nobody writes this entry.
        unsafe { &*self.start.add(at) }
    }
}

/// The pool: its workers are made by the first job.
#[derive(Debug)]
struct Inner {
    threads: usize,
    /// Somebody shares out chunks.
    is_busy: AtomicBool,
    crew: OnceLock<Crew>,
}

impl Inner {
    fn crew(&self) -> &Crew {
        self.crew.get_or_init(|| Crew::start(self.threads))
    }

    /// Shares out the chunks of a job and waits for them; false, and nothing done, when somebody else has the pool, or when a chunk asks for it.
    fn share<F: Fn(Range<usize>, usize) + Sync>(&self, chunks: usize, run: &F) -> bool {
        if self.is_busy.swap(true, Ordering::Acquire) {
            return false;
        }
        let crew = self.crew();
        let panic = if crew.workers.is_empty() {
            catch_unwind(AssertUnwindSafe(|| run(0..chunks, 0))).err()
        } else {
            crew.post.share(chunks, run)
        };
        self.is_busy.store(false, Ordering::Release);
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
        true
    }
}

/// The workers of a pool; they end when it is dropped.
#[derive(Debug)]
struct Crew {
    post: Arc<Post>,
    workers: Vec<JoinHandle<()>>,
}

impl Crew {
    fn start(threads: usize) -> Self {
        let post = Arc::new(Post::new(threads, threads > available_threads()));
        let mut workers = Vec::with_capacity(threads - 1);
        for thread in 1..threads {
            let theirs = post.clone();
            let worker = std::thread::Builder::new().name(format!("huygens-{thread}"));
            let Ok(worker) = worker.spawn(move || theirs.work(thread)) else { break };
            workers.push(worker);
        }
        Self { post, workers }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.post.is_over.store(true, Ordering::Release);
        self.post.wake();
        for worker in self.workers.drain(..) {
            // A worker hands the panics of chunks to the caller, and has none of its own.
            let _ = worker.join();
        }
    }
}

/// A word that no other word shares a cache line with.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Seat(AtomicU64);

/// A function of some chunks and a thread, without its type and its lifetime.
#[derive(Clone, Copy)]
struct Job {
    call: unsafe fn(*const (), Range<usize>, usize),
    run: *const (),
    /// Chunks in one unit that is claimed, and in all.
    per: usize,
    chunks: usize,
}

/// Calls the function of a job.
///
/// # Safety
/// `run` points to a function of type `F` that is alive.
unsafe fn call<F: Fn(Range<usize>, usize) + Sync>(run: *const (), chunks: Range<usize>, thread: usize) {
    // SAFETY: the caller promises the type and the life of the function; `F` is `Sync`.
    let run = unsafe { &*run.cast::<F>() };
    run(chunks, thread);
}

/// Where jobs are posted.
struct Post {
    /// For each thread the number of the job, the next of its units and the end of them: what is left of them is free to be claimed.
    seats: Box<[Seat]>,
    job: UnsafeCell<Job>,
    /// Units of the job that are not done.
    left: Padded<AtomicUsize>,
    /// Number of the last job; written by the caller alone.
    number: AtomicU64,
    /// Workers that have gone to sleep since the last were woken.
    sleepers: Padded<AtomicUsize>,
    door: Mutex<()>,
    bell: Condvar,
    is_over: AtomicBool,
    /// Looks of a worker at its seat before it sleeps: in a loop, then giving way to others each time.
    looks: [u32; 2],
    /// What a chunk panicked with.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// A value that no other shares a cache line with.
#[repr(align(128))]
struct Padded<T>(T);

// SAFETY: the job is the one field that is not `Sync`. It is written by the caller while no unit is left, and read by who has claimed a unit, which
// keeps `left` above 0: the release of the seats comes between the write and the reads, that of `left` between the reads and the next
// write. The function that it points to is `Sync`, and the caller waits for `left` = 0 before it goes.
unsafe impl Sync for Post {}
// SAFETY: the same.
unsafe impl Send for Post {}

impl std::fmt::Debug for Post {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Post").field("seats", &self.seats).finish_non_exhaustive()
    }
}

/// Locks; a panic elsewhere leaves nothing half done that these locks guard.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[inline(always)]
fn number_of(seat: u64) -> u64 {
    seat >> (2 * BITS)
}

impl Post {
    fn new(threads: usize, is_crowded: bool) -> Self {
        unsafe fn none(_: *const (), _: Range<usize>, _: usize) {}
        Self {
            seats: (0..threads).map(|_| Seat::default()).collect(),
            job: UnsafeCell::new(Job { call: none, run: std::ptr::null(), per: 1, chunks: 0 }),
            left: Padded(AtomicUsize::new(0)),
            number: AtomicU64::new(0),
            sleepers: Padded(AtomicUsize::new(0)),
            door: Mutex::new(()),
            bell: Condvar::new(),
            is_over: AtomicBool::new(false),
            looks: if is_crowded { [SPINS_CROWDED, YIELDS_CROWDED] } else { [SPINS, YIELDS] },
            panic: Mutex::new(None),
        }
    }

    /// Posts a job, works on it, and waits until it is done; returns what a chunk panicked with.
    fn share<F: Fn(Range<usize>, usize) + Sync>(
        &self,
        chunks: usize,
        run: &F,
    ) -> Option<Box<dyn Any + Send>> {
        let per = chunks.div_ceil(MASK as usize);
        let units = chunks.div_ceil(per);
        // SAFETY: no unit is left, so that nobody reads the job ([`Post`]), and the pool is busy with this caller alone.
        unsafe {
            *self.job.get() = Job { call: call::<F>, run: std::ptr::from_ref(run).cast(), per, chunks }
        };
        self.left.0.store(units, Ordering::Relaxed);
        let number = self.number.load(Ordering::Relaxed) + 1;
        self.number.store(number, Ordering::Relaxed);
        let threads = self.seats.len();
        for (k, seat) in self.seats.iter().enumerate() {
            let (next, end) = (units * k / threads, units * (k + 1) / threads);
            let word = number << (2 * BITS) | (next as u64) << BITS | end as u64;
            seat.0.store(word, Ordering::Release);
        }
        fence(Ordering::SeqCst);
        let asleep = self.sleepers.0.load(Ordering::Relaxed);
        if asleep > 0 {
            // Once for each that went to sleep: on a loaded machine it takes a while until they are there.
            self.sleepers.0.fetch_sub(asleep, Ordering::Relaxed);
            self.wake();
        }
        self.work_on(number, 0);
        let mut waits = 0;
        while self.left.0.load(Ordering::Acquire) > 0 {
            waits += 1;
            if waits < WAITS { spin_loop() } else { yield_now() }
        }
        lock(&self.panic).take()
    }

    /// Wakes the workers.
    #[cold]
    fn wake(&self) {
        // Who is about to sleep has the door until it does.
        drop(lock(&self.door));
        self.bell.notify_all();
    }

    /// Does what is left of a job: first the units of its own seat, then those of the seats after it.
    fn work_on(&self, number: u64, thread: usize) {
        let mut done = 0;
        for k in 0..self.seats.len() {
            let at = thread + k;
            let seat = &self.seats[if at < self.seats.len() { at } else { at - self.seats.len() }].0;
            let mut word = seat.load(Ordering::Acquire);
            loop {
                let (next, end) = (word >> BITS & MASK, word & MASK);
                if number_of(word) != number || next >= end {
                    break;
                }
                let half = (end - next).div_ceil(2);
                let claimed = word + (half << BITS);
                match seat.compare_exchange_weak(word, claimed, Ordering::Acquire, Ordering::Acquire) {
                    Ok(_) => {
                        word = claimed;
                        self.units(next as usize..(next + half) as usize, thread);
                        done += half as usize;
                    }
                    Err(now) => word = now,
                }
            }
        }
        if done > 0 {
            self.left.0.fetch_sub(done, Ordering::Release);
        }
    }

    /// Runs the chunks of some units that were claimed.
    #[inline]
    fn units(&self, units: Range<usize>, thread: usize) {
        // SAFETY: the units are claimed and not done, so that the job stays as it is ([`Post`]).
        let Job { call, run, per, chunks } = unsafe { *self.job.get() };
        let range = units.start * per..(units.end * per).min(chunks);
        // SAFETY: `run` is the function that `call` was made for, and its owner waits until these units are done.
        let all = || unsafe { call(run, range, thread) };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(all)) {
            lock(&self.panic).get_or_insert(panic);
        }
    }

    /// The life of a worker.
    fn work(&self, thread: usize) {
        let mut number = 0;
        while let Some(new) = self.next_job(thread, number) {
            number = new;
            self.work_on(number, thread);
        }
    }

    /// Waits for a job other than the last; `None` when the pool is dropped.
    fn next_job(&self, thread: usize, last: u64) -> Option<u64> {
        let new = || {
            if self.is_over.load(Ordering::Acquire) {
                return Some(None);
            }
            let number = number_of(self.seats[thread].0.load(Ordering::Acquire));
            (number != last).then_some(Some(number))
        };
        let [spins, yields] = self.looks;
        for look in 0..spins + yields {
            if let Some(new) = new() {
                return new;
            }
            if look < spins { spin_loop() } else { yield_now() }
        }
        let mut door = lock(&self.door);
        // Who posts a job looks for sleepers after it has written the seats, and forgets them when it wakes them; who goes to sleep looks at its
        // seat after it has said so: one of them sees the other. Every job changes every seat, so that who is woken has a new one.
        self.sleepers.0.fetch_add(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        loop {
            if let Some(new) = new() {
                return new;
            }
            door = self.bell.wait(door).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SplitMix;

    #[test]
    fn every_chunk_runs_once_for_any_number_of_threads_and_chunks() {
        let mut random = SplitMix::new(1);
        for threads in [1, 2, 3, 8] {
            let pool = Pool::new(threads);
            for round in 0..200 {
                let chunks = match round {
                    0 => 10_000,
                    1 => 0,
                    _ => random.index(70),
                };
                let count: Vec<AtomicUsize> = (0..chunks).map(|_| AtomicUsize::new(0)).collect();
                pool.for_chunks(chunks, |chunk, thread| {
                    assert!(thread < threads);
                    count[chunk].fetch_add(1, Ordering::Relaxed);
                });
                assert!(
                    count.iter().all(|n| n.load(Ordering::Relaxed) == 1),
                    "{threads} threads, {chunks} chunks"
                );
            }
        }
    }

    #[test]
    fn parts_are_the_list_in_order() {
        let pool = Pool::new(3);
        for len in [0, 1, 7, 64, 1000] {
            let mut list = vec![0; len];
            pool.for_parts(&mut list, 7, |first, part| {
                for (k, entry) in part.iter_mut().enumerate() {
                    *entry += first + k + 1;
                }
            });
            assert!(list.iter().enumerate().all(|(i, entry)| *entry == i + 1), "{len}");
        }
    }

    #[test]
    fn no_two_chunks_at_the_same_time_have_the_same_thread() {
        let pool = Pool::new(4);
        let rooms: Vec<std::sync::Mutex<u64>> = (0..4).map(|_| std::sync::Mutex::new(0)).collect();
        for _ in 0..100 {
            pool.for_chunks(40, |chunk, thread| {
                let mut room = rooms[thread].try_lock().expect("a room of its own");
                *room += chunk as u64;
                std::hint::black_box(&mut room);
            });
        }
        let sum: u64 = rooms.into_iter().map(|room| room.into_inner().unwrap()).sum();
        assert_eq!(sum, 100 * (39 * 40 / 2));
    }

    #[test]
    fn a_chunk_that_asks_for_the_pool_works_alone() {
        let pool = Pool::new(3);
        let sum = AtomicUsize::new(0);
        pool.for_chunks(10, |a, _| {
            pool.for_chunks(10, |b, thread| {
                assert_eq!(thread, 0);
                sum.fetch_add(10 * a + b, Ordering::Relaxed);
            });
        });
        assert_eq!(sum.into_inner(), 99 * 100 / 2);
    }

    #[test]
    fn two_callers_of_one_pool_both_get_their_work_done() {
        let pool = Pool::new(3);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let sum = AtomicUsize::new(0);
                        pool.for_chunks(20, |chunk, _| {
                            sum.fetch_add(chunk, Ordering::Relaxed);
                        });
                        assert_eq!(sum.into_inner(), 19 * 20 / 2);
                    }
                });
            }
        });
    }

    #[test]
    fn a_panic_in_a_chunk_reaches_the_caller_and_the_pool_goes_on() {
        let pool = Pool::new(2);
        for bad in [0, 5, 9] {
            let done = AtomicUsize::new(0);
            let caught = catch_unwind(AssertUnwindSafe(|| {
                pool.for_chunks(10, |chunk, _| {
                    assert_ne!(chunk, bad, "chunk");
                    done.fetch_add(1, Ordering::Relaxed);
                });
            }));
            assert!(caught.is_err());
            // Those that were claimed with it are lost.
            assert!(done.into_inner() < 10);
        }
        pool.for_chunks(10, |_, _| {});
    }

    #[test]
    fn a_thousand_pools_start_and_stop() {
        for round in 0..1000 {
            let pool = Pool::new(2 + round % 3);
            let sum = AtomicUsize::new(0);
            for _ in 0..round % 4 {
                pool.for_chunks(6, |chunk, _| {
                    sum.fetch_add(chunk, Ordering::Relaxed);
                });
            }
            assert_eq!(sum.into_inner(), 15 * (round % 4));
        }
    }

    #[test]
    fn workers_that_slept_are_woken() {
        let pool = Pool::new(3);
        for pause in [0, 1, 5, 20] {
            std::thread::sleep(std::time::Duration::from_millis(pause));
            let sum = AtomicUsize::new(0);
            pool.for_chunks(100, |chunk, _| {
                sum.fetch_add(chunk, Ordering::Relaxed);
            });
            assert_eq!(sum.into_inner(), 99 * 100 / 2);
        }
    }
}
