//! What the models choose by: numbers that can be had again.

/// Numbers of a sequence that its seed decides (SplitMix64).
pub struct Random(u64);

impl Random {
    /// The sequence of `PLANNING_SEED`, or of a new seed, which is printed.
    pub fn seeded() -> Self {
        let seed = std::env::var("PLANNING_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = seed.unwrap_or_else(|| uuid::Uuid::new_v4().as_u64_pair().0);
        println!("PLANNING_SEED={seed}");
        Self(seed)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(bound).unwrap()).unwrap()
    }

    pub fn one_of<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    pub fn maybe<T>(&mut self, value: T) -> Option<T> {
        (self.below(2) == 0).then_some(value)
    }
}
