//! The first few of many.

use std::cmp::Ordering;

/// Sorts a list and cuts it to so many, without sorting what is cut.
pub(crate) fn keep_first<T>(list: &mut Vec<T>, count: usize, order: impl Fn(&T, &T) -> Ordering) {
    if count < list.len() {
        list.select_nth_unstable_by(count, &order);
        list.truncate(count);
    }
    list.sort_unstable_by(order);
}

#[cfg(test)]
mod tests {
    use super::keep_first;

    #[test]
    fn the_first_are_kept_in_order() {
        for count in 0..6 {
            let mut list = vec![3, 1, 4, 2];
            keep_first(&mut list, count, Ord::cmp);
            assert_eq!(list, [1, 2, 3, 4][..count.min(4)]);
        }
    }
}
