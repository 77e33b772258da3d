//! Every order in which the threads of a pool can come to run, as far as they are interrupted no more than a few times: the code of the pool itself
//! runs, one thread at a time, and before each operation on an atomic or a lock another thread may be let go on. All choices are tried, one after
//! the other. Operations take effect in the order in which they are run; what weaker orders of memory allow is for ThreadSanitizer.

use super::{Post, lock};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Operations of one run beyond which its threads wait for each other without end.
const ENDLESS: usize = 20_000;

/// What a thread is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Ready,
    /// It waits in a loop until another one does something.
    Paused,
    /// It sleeps at this bell.
    Asleep(usize),
    Done,
}

/// A choice between threads: which one was taken, of how many.
type Choice = [usize; 2];

#[derive(Debug)]
struct Run {
    threads: Vec<Status>,
    active: usize,
    /// Choices of this run, those of the last one first.
    path: Vec<Choice>,
    at: usize,
    /// How often a thread that could go on was interrupted, and how often it may be.
    interrupted: usize,
    most: usize,
    operations: usize,
    /// Why no thread may go on.
    failed: Option<&'static str>,
}

/// The threads of a run wait here for their turn.
#[derive(Debug)]
struct Scheduler {
    run: Mutex<Run>,
    turn: Condvar,
}

thread_local! {
    /// The scheduler of this thread, and its number there.
    static OWN: RefCell<Option<(Arc<Scheduler>, usize)>> = const { RefCell::new(None) };
}

fn own() -> Option<(Arc<Scheduler>, usize)> {
    OWN.with_borrow(Clone::clone)
}

/// This thread is one of a model.
pub(super) fn is_on() -> bool {
    OWN.with_borrow(Option::is_some)
}

/// Before an operation: another thread may go on instead.
pub(super) fn step() {
    if let Some((scheduler, me)) = own() {
        let mut run = scheduler.lock();
        run.operations += 1;
        if run.operations > ENDLESS {
            run.failed = Some("threads wait for each other without end");
        }
        let mut ready = vec![me];
        if run.interrupted < run.most {
            ready.extend((0..run.threads.len()).filter(|k| *k != me && run.threads[*k] == Status::Ready));
        }
        let next = run.choose(&ready);
        run.interrupted += usize::from(next != me);
        scheduler.go_on(run, me, next);
    }
}

/// In a loop that waits for another thread: the others go on. False without a model.
pub(super) fn pause() -> bool {
    leave(Status::Paused)
}

/// Until somebody rings this bell.
pub(super) fn sleep(bell: usize) {
    leave(Status::Asleep(bell));
}

/// Rings a bell.
pub(super) fn wake(bell: usize) {
    if let Some((scheduler, _)) = own() {
        let mut run = scheduler.lock();
        for status in run.threads.iter_mut().filter(|status| **status == Status::Asleep(bell)) {
            *status = Status::Ready;
        }
    }
}

fn leave(status: Status) -> bool {
    let Some((scheduler, me)) = own() else { return false };
    let mut run = scheduler.lock();
    run.threads[me] = status;
    let of = |run: &Run, status| (0..run.threads.len()).filter(|k| run.threads[*k] == status).collect();
    let mut ready: Vec<usize> = of(&run, Status::Ready);
    if ready.is_empty() {
        ready = of(&run, Status::Paused);
    }
    if ready.is_empty() {
        if run.threads.iter().any(|status| *status != Status::Done) {
            run.failed = Some("all threads sleep");
        }
        scheduler.turn.notify_all();
        return true;
    }
    let next = run.choose(&ready);
    scheduler.go_on(run, me, next);
    true
}

impl Run {
    /// The next choice of the path, or the first.
    fn choose(&mut self, of: &[usize]) -> usize {
        if of.len() == 1 {
            return of[0];
        }
        if self.at == self.path.len() {
            self.path.push([0, of.len()]);
        }
        let [taken, all] = self.path[self.at];
        assert_eq!(all, of.len(), "a run depends on its choices alone");
        self.at += 1;
        of[taken]
    }
}

impl Scheduler {
    fn lock(&self) -> MutexGuard<'_, Run> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a thread go on, and waits for the own turn.
    fn go_on(&self, mut run: MutexGuard<'_, Run>, me: usize, next: usize) {
        // Who does something may be what others wait for.
        for status in run.threads.iter_mut().filter(|status| **status == Status::Paused) {
            *status = Status::Ready;
        }
        run.active = next;
        if next != me || run.failed.is_some() {
            self.turn.notify_all();
        }
        self.wait(run, me);
    }

    fn wait(&self, mut run: MutexGuard<'_, Run>, me: usize) {
        if run.threads[me] == Status::Done {
            return;
        }
        while run.active != me && run.failed.is_none() {
            run = self.turn.wait(run).unwrap_or_else(PoisonError::into_inner);
        }
        let failed = run.failed;
        drop(run);
        if let Some(why) = failed {
            panic!("{why}");
        }
    }
}

/// Runs `main` and a worker for each further thread in every order; returns how many there were.
fn every_order(threads: usize, most: usize, looks: [u32; 2], main: impl Fn(&Post)) -> usize {
    let (mut path, mut runs) = (Vec::<Choice>::new(), 0);
    loop {
        let run = Run {
            threads: vec![Status::Ready; threads],
            active: 0,
            path: std::mem::take(&mut path),
            at: 0,
            interrupted: 0,
            most,
            operations: 0,
            failed: None,
        };
        let scheduler = Arc::new(Scheduler { run: Mutex::new(run), turn: Condvar::new() });
        let post = Post { looks, ..Post::new(threads, false) };
        let as_thread = |me: usize, work: &dyn Fn()| {
            OWN.set(Some((scheduler.clone(), me)));
            let done = catch_unwind(AssertUnwindSafe(|| {
                scheduler.wait(scheduler.lock(), me);
                work();
                leave(Status::Done);
            }));
            OWN.set(None);
            if let Err(panic) = done {
                scheduler.lock().failed.get_or_insert("another thread panicked");
                scheduler.turn.notify_all();
                resume_unwind(panic);
            }
        };
        std::thread::scope(|scope| {
            for thread in 1..threads {
                let (post, as_thread) = (&post, &as_thread);
                scope.spawn(move || as_thread(thread, &|| post.work(thread)));
            }
            as_thread(0, &|| {
                main(&post);
                post.is_over.store(true, Ordering::Release);
                post.wake();
            });
        });
        path = std::mem::take(&mut scheduler.lock().path);
        runs += 1;
        while path.last().is_some_and(|[taken, all]| taken + 1 == *all) {
            path.pop();
        }
        match path.last_mut() {
            Some([taken, _]) => *taken += 1,
            None => return runs,
        }
    }
}

/// Shares out jobs of so many chunks, one after the other: each chunk runs once, before its job is done.
fn share_all(post: &Post, jobs: &[usize]) {
    for &chunks in jobs {
        let count: Vec<AtomicUsize> = (0..chunks).map(|_| AtomicUsize::new(0)).collect();
        let panic = post.share(chunks, &|range: std::ops::Range<usize>, _| {
            range.for_each(|chunk| {
                count[chunk].fetch_add(1, Ordering::Relaxed);
            });
        });
        assert!(panic.is_none());
        assert!(count.iter().all(|n| n.load(Ordering::Relaxed) == 1), "each chunk once");
    }
}

#[test]
fn two_threads_do_each_chunk_once_and_end_in_every_order() {
    for looks in [[0, 0], [1, 1]] {
        let runs = every_order(2, 2, looks, |post| share_all(post, &[3, 2]));
        assert!(runs > 100, "{runs} orders");
    }
}

#[test]
fn three_threads_do_each_chunk_once_and_end_in_every_order() {
    let runs = every_order(3, 1, [0, 0], |post| share_all(post, &[4, 2]));
    assert!(runs > 100, "{runs} orders");
}

#[test]
fn a_pool_without_a_job_ends_in_every_order() {
    let runs = every_order(3, 2, [1, 0], |_| ());
    assert!(runs > 20, "{runs} orders");
}

#[test]
fn a_panic_of_a_chunk_reaches_the_caller_in_every_order() {
    let runs = every_order(2, 1, [0, 0], |post| {
        let panic = post.share(2, &|range: std::ops::Range<usize>, _| {
            if range.start > 0 {
                resume_unwind(Box::new("chunk"));
            }
        });
        assert!(panic.is_some() && lock(&post.panic).is_none());
        share_all(post, &[2]);
    });
    assert!(runs > 20, "{runs} orders");
}
