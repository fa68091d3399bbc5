//! What stands in front of the replicas of a surface in a deployment: a load balancer. It asks each replica whether it is ready, sends
//! calls to those that are, and tries a call without an answer on another replica, if that is safe.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use http::StatusCode;
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{MissedTickBehavior, interval, timeout},
};

use crate::{
    asked::Asked,
    client::{Answer, Client, Unanswered},
};

/// How often each replica is asked whether it is ready.
pub(crate) const PROBE: Duration = Duration::from_millis(500);

/// How long it may take to answer that.
const PROBE_TIMEOUT: Duration = Duration::from_secs(1);

/// What is known of a replica.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It gets calls.
    Ready,
    /// It says that it is not ready. It gets no more calls, and finishes those that it has.
    Leaving,
    /// It does not answer. Its calls are given up.
    Silent,
}

struct Replica {
    address: SocketAddr,
    state: watch::Sender<State>,
}

/// The replicas of one surface.
pub(crate) struct Balancer {
    replicas: Arc<[Replica]>,
    turn: AtomicUsize,
    /// Ends with this.
    _probes: JoinSet<()>,
}

impl Balancer {
    /// Probes them from now on, if there is a choice.
    pub(crate) fn of(addresses: &[SocketAddr]) -> Self {
        let replica = |address: &SocketAddr| Replica {
            address: *address,
            state: watch::Sender::new(State::Ready),
        };
        let replicas: Arc<[_]> = addresses.iter().map(replica).collect();
        let mut probes = JoinSet::new();
        let watched = if replicas.len() > 1 {
            replicas.len()
        } else {
            0
        };
        for index in 0..watched {
            let replicas = Arc::clone(&replicas);
            probes.spawn(async move {
                if let Some(replica) = replicas.get(index) {
                    probe(replica).await;
                }
            });
        }
        Self {
            replicas,
            turn: AtomicUsize::new(0),
            _probes: probes,
        }
    }

    /// Whether the replica at this address is ready.
    pub(crate) fn is_ready(&self, address: SocketAddr) -> bool {
        let mut replicas = self.replicas.iter();
        replicas.any(|one| one.address == address && one.is(State::Ready))
    }

    /// The replica for a call: in turn, of those that are ready if there are any.
    fn choose(&self, but: Option<usize>) -> Option<usize> {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        let count = self.replicas.len();
        let in_turn = (0..count).map(|step| (turn + step) % count);
        let others: Vec<_> = in_turn.filter(|index| Some(*index) != but).collect();
        let is = |index: &usize, state| self.replicas.get(*index).is_some_and(|one| one.is(state));
        let ready = others.iter().find(|index| is(index, State::Ready));
        let leaving = || others.iter().find(|index| is(index, State::Leaving));
        ready.or_else(leaving).or(others.first()).copied()
    }
}

impl Replica {
    fn is(&self, state: State) -> bool {
        *self.state.borrow() == state
    }

    fn learn(&self, state: State) {
        self.state.send_if_modified(|known| {
            let is_new = *known != state;
            *known = state;
            is_new
        });
    }
}

async fn probe(replica: &Replica) {
    let mut ticks = interval(PROBE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let asked = Asked::page("/readyz".to_owned());
    loop {
        ticks.tick().await;
        // On a connection of its own each time: whether it takes connections is a part of the question.
        let mut client = Client::new(replica.address);
        let answer = timeout(PROBE_TIMEOUT, client.ask(&asked)).await;
        replica.learn(
            match answer.map(|answer| answer.ok().and_then(|one| one.status)) {
                Ok(Some(StatusCode::OK)) => State::Ready,
                Ok(Some(_)) => State::Leaving,
                Ok(None) | Err(_) => State::Silent,
            },
        );
    }
}

/// What came of a call.
#[derive(Debug)]
pub(crate) struct Called {
    pub(crate) answer: Answer,
    pub(crate) began: Instant,
    pub(crate) took: Duration,
    /// Whether the first replica left it without an answer.
    pub(crate) failed_at_first: bool,
}

/// A client of a surface. Its calls come one after the other, on a connection to each replica.
pub(crate) struct Caller {
    balancer: Arc<Balancer>,
    clients: Vec<Client>,
}

impl Caller {
    pub(crate) fn of(balancer: &Arc<Balancer>) -> Self {
        let replicas = balancer.replicas.iter();
        Self {
            clients: replicas.map(|one| Client::new(one.address)).collect(),
            balancer: Arc::clone(balancer),
        }
    }

    pub(crate) async fn call(&mut self, asked: &Asked) -> Called {
        let began = Instant::now();
        let (first, chosen) = self.once(asked, None).await;
        let (answer, failed_at_first) = match first {
            Ok(answer) => (answer, false),
            Err(why) if why == Unanswered::NotSent || asked.may_be_repeated => {
                let (second, _) = self.once(asked, chosen).await;
                (second.unwrap_or_default(), true)
            }
            Err(_) => (Answer::default(), true),
        };
        Called {
            answer,
            began,
            took: began.elapsed(),
            failed_at_first,
        }
    }

    /// Asks one replica, until it does not answer probes any more. Says which.
    async fn once(
        &mut self,
        asked: &Asked,
        but: Option<usize>,
    ) -> (Result<Answer, Unanswered>, Option<usize>) {
        self.close_others();
        let chosen = self.balancer.choose(but).or(but);
        let balancer = Arc::clone(&self.balancer);
        let replica = chosen.and_then(|index| balancer.replicas.get(index));
        let client = chosen.and_then(|index| self.clients.get_mut(index));
        let (Some(replica), Some(client)) = (replica, client) else {
            return (Err(Unanswered::NotSent), None);
        };
        let mut states = replica.state.subscribe();
        // It may be silent already, when all are: only a change counts.
        states.mark_unchanged();
        let silent = async {
            while states.changed().await.is_ok() {
                if *states.borrow_and_update() == State::Silent {
                    return;
                }
            }
            std::future::pending::<()>().await;
        };
        let answer = tokio::select! {
            answer = client.ask(asked) => answer,
            () = silent => Err(Unanswered::Lost),
        };
        match answer {
            Err(Unanswered::NotSent) if balancer.replicas.len() > 1 => replica.learn(State::Silent),
            Err(_) => client.close(),
            Ok(_) => {}
        }
        (answer, chosen)
    }

    /// A connection to a replica that is not ready is not used again.
    fn close_others(&mut self) {
        for (client, replica) in self.clients.iter_mut().zip(&*self.balancer.replicas) {
            if !replica.is(State::Ready) {
                client.close();
            }
        }
    }
}
