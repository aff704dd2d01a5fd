//! The scalar product.

/// The scalar product; eight sums at a time, which the compiler turns into vector instructions.
pub(crate) fn dot(left: &[f32], right: &[f32]) -> f32 {
    let (left, left_rest) = left.as_chunks::<8>();
    let (right, right_rest) = right.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (left, right) in left.iter().zip(right) {
        for (sum, (left, right)) in sums.iter_mut().zip(left.iter().zip(right)) {
            *sum += left * right;
        }
    }
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(left, right)| left * right).sum();
    sums.iter().sum::<f32>() + rest
}
