//! Closed-loop clients: each sends one request after the other for a given time. Their rate is requests per second.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

/// Number of clients, and duration.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub(crate) clients: usize,
    pub(crate) time: Duration,
}

/// Runs the contestants in turns, and returns the median of each one's rounds.
pub(crate) fn medians<const N: usize>(
    rounds: usize,
    mut contestants: [&mut dyn FnMut(usize) -> Result<f64>; N],
) -> Result<[f64; N]> {
    let mut figures = [(); N].map(|()| Vec::new());
    for round in 0..rounds {
        for (contestant, figures) in contestants.iter_mut().zip(&mut figures) {
            figures.push(contestant(round)?);
        }
    }
    Ok(figures.map(median))
}

impl Load {
    /// Requests per second of all clients. Each prepares its connection and data before the time begins.
    pub(crate) fn rate<C>(
        self,
        prepare: impl Fn(usize) -> Result<C> + Sync,
        request: impl Fn(&mut C, u64) -> Result<()> + Sync,
    ) -> Result<f64> {
        let start = Barrier::new(self.clients);
        let run = |number: usize| -> Result<f64> {
            let prepared = prepare(number);
            // Even after a failure: the others wait at the barrier.
            start.wait();
            let mut client = prepared?;
            let begun = Instant::now();
            let mut done = 0_u32;
            while begun.elapsed() < self.time {
                request(&mut client, done.into())?;
                done += 1;
            }
            Ok(f64::from(done) / begun.elapsed().as_secs_f64())
        };
        std::thread::scope(|scope| {
            let run = &run;
            let clients: Vec<_> = (0..self.clients).map(|number| scope.spawn(move || run(number))).collect();
            let mut total = 0.0;
            for client in clients {
                total += client.join().map_err(|_| anyhow!("a client panicked"))??;
            }
            Ok(total)
        })
    }
}

pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[test]
    fn contestants_take_turns_and_the_median_counts() {
        let order = std::cell::RefCell::new(Vec::new());
        let medians = super::medians(
            3,
            [
                &mut |round| {
                    order.borrow_mut().push('a');
                    Ok([9.0, 1.0, 5.0][round])
                },
                &mut |_| {
                    order.borrow_mut().push('b');
                    Ok(2.0)
                },
            ],
        );
        assert_eq!(medians.unwrap(), [5.0, 2.0]);
        assert_eq!(order.into_inner(), ['a', 'b', 'a', 'b', 'a', 'b']);
    }
}
