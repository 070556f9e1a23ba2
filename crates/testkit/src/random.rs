//! Reproducible random choices of tests that compare the service with a model.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test's helper fails by panicking")]

/// A pseudorandom sequence by seed (SplitMix64).
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The sequence of the seed in an environment variable, or of a new seed. Prints the seed.
    pub fn seeded(variable: &str) -> Self {
        let seed = given_seed(variable).unwrap_or_else(new_seed);
        println!("{variable}={seed}");
        Self(seed)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(bound).unwrap()).unwrap()
    }

    /// An element of a list.
    pub fn one_of<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// The value in half of the cases.
    pub fn maybe<T>(&mut self, value: T) -> Option<T> {
        (self.below(2) == 0).then_some(value)
    }
}

/// The seed in an environment variable.
pub fn given_seed(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|seed| seed.parse().unwrap())
}

/// A random seed.
pub fn new_seed() -> u64 {
    uuid::Uuid::new_v4().as_u64_pair().0
}
