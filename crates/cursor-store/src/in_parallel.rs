//! Many small files looked at by two threads: opening is waiting, and two cores wait better than one.

/// So few are not worth a thread.
const FEW: usize = 8;

/// What `look` makes of each of `items`, in their order.
pub(crate) fn each<T: Sync, R: Send>(items: &[T], look: impl Fn(&T) -> R + Sync) -> Vec<R> {
    if items.len() <= FEW {
        return items.iter().map(look).collect();
    }
    let (first, second) = items.split_at(items.len() / 2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| second.iter().map(&look).collect::<Vec<R>>());
        let mut all: Vec<R> = first.iter().map(&look).collect();
        match other.join() {
            Ok(more) => all.extend(more),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        all
    })
}
