//! Permits for workers, which users get in turn, and of each user the projects. However much work one user has, another
//! user's first work is next; and no user has all permits.

use std::collections::{HashMap, VecDeque};
use std::future::pending;
use std::sync::Arc;

use domain::id::{ProjectId, UserId};
use parking_lot::Mutex;
use tokio::sync::oneshot;

/// The permits of a process for workers of one kind.
#[derive(Debug)]
pub struct Turns(Arc<Mutex<State>>);

/// A permit, given back when this is dropped.
#[derive(Debug)]
pub struct Permit {
    user: UserId,
    turns: Turns,
}

#[derive(Debug)]
struct State {
    /// Permits that nobody has.
    free: usize,
    /// Most permits of one user.
    of_user_max: usize,
    /// Number of permits of each user who has one.
    held: HashMap<UserId, usize>,
    /// The users with waiting work, the next one first.
    waiting: VecDeque<WaitingUser>,
}

/// A user with waiting work.
#[derive(Debug)]
struct WaitingUser {
    user: UserId,
    /// The projects with waiting work, the next one first, each with its work in order.
    projects: VecDeque<(ProjectId, VecDeque<oneshot::Sender<Permit>>)>,
}

impl Turns {
    /// As many permits, at least one. One user can have all but one of them, so that others need not wait for that user.
    pub fn new(permits: usize) -> Self {
        let free = permits.max(1);
        let of_user_max = free.saturating_sub(1).max(1);
        let state = State { free, of_user_max, held: HashMap::new(), waiting: VecDeque::new() };
        Self(Arc::new(Mutex::new(state)))
    }

    /// Waits for a permit for work of a user on a project. Leaving early loses the place.
    pub async fn acquire(&self, user: UserId, project: ProjectId) -> Permit {
        let (sender, turn) = oneshot::channel();
        self.0.lock().wait(user, project, sender);
        self.give();
        match turn.await {
            Ok(turn) => turn,
            // The place is kept until it is taken or left.
            Err(_) => pending().await,
        }
    }

    /// Gives the free permits to waiting work.
    fn give(&self) {
        loop {
            let Some((user, next)) = self.0.lock().next() else { return };
            // Work that has just left gives its permit back, by dropping it.
            let _left = next.send(Permit { user, turns: Self(Arc::clone(&self.0)) });
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.turns.0.lock().release(self.user);
        self.turns.give();
    }
}

impl State {
    fn wait(&mut self, user: UserId, project: ProjectId, sender: oneshot::Sender<Permit>) {
        let place = self.waiting.iter().position(|waiting| waiting.user == user);
        let waiting = match place.and_then(|place| self.waiting.get_mut(place)) {
            Some(waiting) => waiting,
            None => self.waiting.push_back_mut(WaitingUser { user, projects: VecDeque::new() }),
        };
        let place = waiting.projects.iter().position(|(known, _)| *known == project);
        let (_, works) = match place.and_then(|place| waiting.projects.get_mut(place)) {
            Some(known) => known,
            None => waiting.projects.push_back_mut((project, VecDeque::new())),
        };
        works.retain(|work| !work.is_closed());
        works.push_back(sender);
    }

    /// Takes a permit for the next waiting work, whose user and project then go to the end.
    fn next(&mut self) -> Option<(UserId, oneshot::Sender<Permit>)> {
        if self.free == 0 {
            return None;
        }
        for _ in 0..self.waiting.len() {
            let mut waiting = self.waiting.pop_front()?;
            let user = waiting.user;
            let has_room = self.held.get(&user).is_none_or(|held| *held < self.of_user_max);
            let next = if has_room { waiting.next() } else { None };
            if !waiting.projects.is_empty() {
                self.waiting.push_back(waiting);
            }
            if let Some(next) = next {
                self.free = self.free.saturating_sub(1);
                *self.held.entry(user).or_default() += 1;
                return Some((user, next));
            }
        }
        None
    }

    fn release(&mut self, user: UserId) {
        self.free += 1;
        if let Some(held) = self.held.get_mut(&user) {
            *held = held.saturating_sub(1);
            if *held == 0 {
                self.held.remove(&user);
            }
        }
    }
}

impl WaitingUser {
    /// The next work, without that which has left; `None` if all has.
    fn next(&mut self) -> Option<oneshot::Sender<Permit>> {
        while let Some((project, mut works)) = self.projects.pop_front() {
            while let Some(work) = works.pop_front() {
                if work.is_closed() {
                    continue;
                }
                if !works.is_empty() {
                    self.projects.push_back((project, works));
                }
                return Some(work);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use domain::id::{ProjectId, UserId};
    use futures_util::FutureExt;
    use futures_util::future::LocalBoxFuture;
    use uuid::Uuid;

    use super::{Permit, Turns};

    const ALICE: UserId = UserId(Uuid::from_u128(1));
    const BOB: UserId = UserId(Uuid::from_u128(2));
    const GEAR: ProjectId = ProjectId(Uuid::from_u128(1));
    const PUMP: ProjectId = ProjectId(Uuid::from_u128(2));

    /// Work that waits for its turn.
    struct Work<'a>(LocalBoxFuture<'a, Permit>);

    impl<'a> Work<'a> {
        fn of(turns: &'a Turns, user: UserId, project: ProjectId) -> Self {
            let mut work = Self(turns.acquire(user, project).boxed_local());
            // The first poll takes the place.
            if let Some(turn) = work.turn() {
                work.0 = std::future::ready(turn).boxed_local();
            }
            work
        }

        fn turn(&mut self) -> Option<Permit> {
            (&mut self.0).now_or_never()
        }
    }

    #[test]
    fn a_stranger_does_not_wait_for_a_users_long_work() {
        let turns = Turns::new(3);
        let mut works: Vec<Work<'_>> = (0..6).map(|_| Work::of(&turns, ALICE, GEAR)).collect();
        let held: Vec<Permit> = works.iter_mut().filter_map(Work::turn).collect();
        assert_eq!(held.len(), 2);
        assert!(Work::of(&turns, BOB, GEAR).turn().is_some());
    }

    #[test]
    fn users_and_their_projects_get_permits_in_turn() {
        let turns = Turns::new(1);
        let mut held = Work::of(&turns, BOB, PUMP).turn();
        let asked = [(ALICE, GEAR), (ALICE, GEAR), (ALICE, PUMP), (BOB, GEAR), (ALICE, GEAR), (BOB, GEAR)];
        let mut works: Vec<Work<'_>> =
            asked.iter().map(|(user, project)| Work::of(&turns, *user, *project)).collect();
        let mut order = Vec::new();
        for _ in asked {
            drop(held.take());
            for (place, work) in
                works.iter_mut().enumerate().filter(|(place, _)| !order.contains(place)).collect::<Vec<_>>()
            {
                if let Some(turn) = work.turn() {
                    order.push(place);
                    held = Some(turn);
                    break;
                }
            }
        }
        assert_eq!(order, [0, 3, 2, 5, 1, 4]);
    }

    #[test]
    fn work_that_leaves_loses_its_place_and_no_permit() {
        let turns = Turns::new(1);
        let held = Work::of(&turns, ALICE, GEAR).turn();
        let left = Work::of(&turns, BOB, GEAR);
        let mut stays = Work::of(&turns, BOB, GEAR);
        drop(left);
        drop(held);
        drop(stays.turn().unwrap());
        // Given, but never received.
        let given = Work::of(&turns, ALICE, GEAR);
        drop(given);
        assert!(Work::of(&turns, BOB, GEAR).turn().is_some());
    }
}
