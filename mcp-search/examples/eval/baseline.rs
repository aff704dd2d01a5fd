//! Whether one version is better than another.

use std::collections::BTreeMap;

use crate::data::{Query, Ranking, Set};
use crate::metrics::{Metrics, real};

/// The rankings of another version, by set and query.
type Baseline = BTreeMap<(String, String), Ranking>;

/// How many times the queries are drawn anew.
const DRAWS: usize = 2_000;

/// Prints by how much nDCG@5 differs from the baseline's, per set and on average, each with the interval that holds 95
/// % of the differences when the queries of each set are drawn anew with replacement (a paired bootstrap).
///
/// # Errors
/// A query that the baseline does not have: against nothing, everything is better.
pub(crate) fn report(sets: &[Set], rankings: &[Vec<Ranking>], baseline: &Baseline) -> Result<(), String> {
    let differences = sets.iter().zip(rankings).map(|(set, rankings)| differences(set, rankings, baseline));
    let differences = differences.collect::<Result<Vec<Vec<f64>>, String>>()?;
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut draws = vec![0.0; DRAWS];
    let mut total = 0.0;
    println!("nDCG@5 against the baseline:");
    for (set, differences) in sets.iter().zip(differences) {
        let own: Vec<f64> = (0..DRAWS).map(|_| draw(&differences, &mut random)).collect();
        print_interval(&set.name, mean(&differences), own.clone());
        total += mean(&differences) / real(sets.len());
        draws.iter_mut().zip(own).for_each(|(sum, own)| *sum += own / real(sets.len()));
    }
    print_interval("mean", total, draws);
    Ok(())
}

/// By how much each query of a set is answered better than by the baseline.
fn differences(set: &Set, rankings: &[Ranking], baseline: &Baseline) -> Result<Vec<f64>, String> {
    let difference = |(query, ranking): (&Query, &Ranking)| {
        let key = (set.name.clone(), query.id.to_string());
        let other =
            baseline.get(&key).ok_or_else(|| format!("the baseline lacks query {} of {}", query.id, set.name))?;
        Ok(Metrics::of(ranking, &query.relevant).ndcg_5 - Metrics::of(other, &query.relevant).ndcg_5)
    };
    set.queries.iter().zip(rankings).map(difference).collect()
}

fn print_interval(name: &str, difference: f64, mut draws: Vec<f64>) {
    draws.sort_by(f64::total_cmp);
    let outside = DRAWS / 40;
    let at = |place: usize| 100.0 * draws.get(place).copied().unwrap_or_default();
    println!("  {name:22}{:+6.1} [{:+.1}, {:+.1}]", 100.0 * difference, at(outside), at(DRAWS - 1 - outside));
}

fn draw(differences: &[f64], random: &mut Random) -> f64 {
    let drawn = (0..differences.len()).filter_map(|_| differences.get(random.below(differences.len())));
    drawn.sum::<f64>() / real(differences.len().max(1))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / real(values.len().max(1))
}

/// A small generator with a fixed start, so that every run prints the same (xorshift*, Marsaglia 2003, Vigna 2016).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(high).unwrap_or_default() % bound.max(1)
    }
}
