//! How good a ranking is.

use std::collections::BTreeSet;
use std::fmt;

/// Figures from 0 to 1, of one ranking or averaged over many.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Metrics {
    pub(crate) recall_1: f64,
    pub(crate) recall_3: f64,
    pub(crate) recall_5: f64,
    pub(crate) recall_10: f64,
    pub(crate) ndcg_5: f64,
    pub(crate) reciprocal_rank: f64,
}

impl Metrics {
    pub(crate) const HEADER: &'static str = "     R@1     R@3     R@5    R@10  nDCG@5     MRR";

    /// Recall@k is the share of relevant tools among the first k; nDCG@5 has binary gains and an ideal of at most five
    /// relevant tools; the reciprocal rank is that of the first relevant tool.
    pub(crate) fn of(ranking: &[String], relevant: &BTreeSet<String>) -> Self {
        let hits: Vec<bool> = ranking.iter().map(|id| relevant.contains(id)).collect();
        let recall = |depth: usize| {
            let found = hits.iter().take(depth).filter(|hit| **hit).count();
            real(found) / real(relevant.len().max(1))
        };
        let gain = |place: usize| 1.0 / (real(place) + 2.0).log2();
        let gained: f64 = hits.iter().take(5).enumerate().filter(|(_, hit)| **hit).map(|(place, _)| gain(place)).sum();
        let ideal: f64 = (0..relevant.len().clamp(1, 5)).map(gain).sum();
        let first = hits.iter().position(|hit| *hit);
        Self {
            recall_1: recall(1),
            recall_3: recall(3),
            recall_5: recall(5),
            recall_10: recall(10),
            ndcg_5: gained / ideal,
            reciprocal_rank: first.map_or(0.0, |place| 1.0 / (real(place) + 1.0)),
        }
    }

    pub(crate) fn mean(all: &[Self]) -> Self {
        let mean = |figure: fn(&Self) -> f64| all.iter().map(figure).sum::<f64>() / real(all.len().max(1));
        Self {
            recall_1: mean(|metrics| metrics.recall_1),
            recall_3: mean(|metrics| metrics.recall_3),
            recall_5: mean(|metrics| metrics.recall_5),
            recall_10: mean(|metrics| metrics.recall_10),
            ndcg_5: mean(|metrics| metrics.ndcg_5),
            reciprocal_rank: mean(|metrics| metrics.reciprocal_rank),
        }
    }
}

/// Percentages, under [`Metrics::HEADER`].
impl fmt::Display for Metrics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let figures = [self.recall_1, self.recall_3, self.recall_5, self.recall_10, self.ndcg_5, self.reciprocal_rank];
        figures.iter().try_for_each(|figure| write!(formatter, "{:8.1}", 100.0 * figure))
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of tools and queries are far below 2^53")]
pub(crate) fn real(count: usize) -> f64 {
    count as f64
}
