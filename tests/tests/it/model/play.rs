//! A case under way: the same is done to the system and to the model, and then both are asked everything.

use std::{sync::Arc, time::Duration};

use domain::{change::Change, plan::Plan};
use muster_api::{
    Reason,
    binding::Binding,
    v1::bindings::{
        CancelEvent, CreateEvent, GetAccount, GetEvent, GetMyEvent, ListEvents, ListMyEvents,
        PublishEvent, UnpublishEvent, UpdateEvent,
    },
};
use serde_json::{Map, Value, json};
use tests::{Account, Client, Refusal, Surface, TestApp};

use super::{
    command::{Command, HALF_HOUR, Moment, NewEvent, Patch, SECOND, Step, Target},
    world::{Event, QUOTAS, World},
};

/// An id of no event.
const NOBODYS: &str = "00000000-0000-7000-8000-000000000000";

type Outcome = Result<Value, Refusal>;

pub(crate) struct Play {
    app: Arc<TestApp>,
    accounts: [Account; 2],
    world: World,
    /// Through which surface the next questions go.
    surface: Surface,
    /// How often everything was compared.
    compared: usize,
}

impl Play {
    pub(crate) async fn begin(app: &Arc<TestApp>) -> Self {
        let free = app.account(Plan::Free).await;
        let business = app.account(Plan::Business).await;
        let world = World {
            began: app.clock.now(),
            now: 0,
            events: Vec::new(),
        };
        Self {
            app: Arc::clone(app),
            accounts: [free, business],
            world,
            surface: Surface::Grpc,
            compared: 0,
        }
    }

    pub(crate) async fn take(&mut self, step: Step) {
        self.surface = step.through;
        let last_half_hour = self.world.now.div_euclid(HALF_HOUR) * HALF_HOUR;
        match step.command {
            Command::Create { owner, event } => {
                self.create(owner, &event.later(last_half_hour)).await;
            }
            Command::Update { target, patch } => {
                self.update(&target, &patch.later(last_half_hour)).await;
            }
            Command::PutOff { event, start } => {
                let events = self.world.events.iter().enumerate();
                let over =
                    events.filter(|(_, event)| self.world.is_over(event) && !event.is_cancelled);
                let over: Vec<usize> = over.map(|(index, _)| index).collect();
                let Some(which) = event.checked_rem(over.len()) else {
                    return;
                };
                let target = Target {
                    event: over[which],
                    by_stranger: false,
                };
                let patch = Patch::start(last_half_hour + start);
                self.update(&target, &patch).await;
            }
            Command::Publish(target) => {
                self.ask::<PublishEvent>(&target, json!({}), |world, event| match event {
                    event if event.is_cancelled => Err(Reason::EventCancelled),
                    event if world.is_over(event) => Err(Reason::EventEnded),
                    event => Ok(Event {
                        is_published: true,
                        ..event.clone()
                    }),
                })
                .await;
            }
            Command::Unpublish(target) => {
                self.ask::<UnpublishEvent>(&target, json!({}), |_, event| match event {
                    event if event.is_cancelled => Err(Reason::EventCancelled),
                    event => Ok(Event {
                        is_published: false,
                        ..event.clone()
                    }),
                })
                .await;
            }
            Command::Cancel { target, reason } => self.cancel(&target, reason).await,
            Command::Register { event, people } => {
                let Some(index) = event.checked_rem(self.world.events.len()) else {
                    return;
                };
                let event = &mut self.world.events[index];
                self.app.register(&event.id, &people).await;
                for status in people {
                    event.registered(status);
                }
            }
            Command::Wait { seconds } => self.wait(seconds),
            Command::WaitForEnd { event, seconds } => {
                let ahead = |event: &&Event| !self.world.is_over(event);
                let ahead: Vec<&Event> = self.world.events.iter().filter(ahead).collect();
                let Some(index) = event.checked_rem(ahead.len()) else {
                    return;
                };
                let until = ahead[index].effective_end() + seconds * SECOND;
                // Clocks of tests go by whole seconds: where the end is a hair beside one, this is the second before.
                let wait = (until - self.world.now).div_euclid(SECOND);
                self.wait(wait.try_into().unwrap_or(0));
            }
            Command::Maintain => self.app.maintain().await,
        }
    }

    fn wait(&mut self, seconds: u64) {
        self.app.advance(Duration::from_secs(seconds));
        self.world.now += Moment::try_from(seconds).unwrap() * SECOND;
    }

    fn owner(&self, owner: usize) -> Client {
        self.app.over(self.surface).as_owner(&self.accounts[owner])
    }

    async fn create(&mut self, owner: usize, new: &NewEvent) {
        let mut request = json!({
            "title": new.title,
            "description": "Talks.",
            "location": "Hall",
            "start_date": self.world.written(new.start),
        });
        set(
            &mut request,
            "end_date",
            new.end.map(|end| self.world.written(end)),
        );
        set(&mut request, "max_capacity", new.max_capacity);
        set(&mut request, "is_public", new.is_public);
        set(&mut request, "is_listed", new.is_listed);
        set(&mut request, "confirm_by_email", new.confirm_by_email);
        set(&mut request, "max_party", new.max_party);
        set(&mut request, "image_query", new.image_query);
        let answer = self.owner(owner).call::<CreateEvent>(request).await;

        let mut event = Event::asked_for(owner, new, self.world.now);
        if let Some(objection) = self.world.objection(None, &event) {
            return assert_eq!(reason(&answer), Some(objection));
        }
        let created = answer.unwrap();
        let text = |field: &str| created[field].as_str().unwrap().to_owned();
        (event.id, event.slug) = (text("id"), text("slug"));
        let url = TestApp::PUBLIC_URL;
        assert_eq!(text("event_url"), format!("{url}/events/{}", event.slug));
        assert_eq!(
            text("admin_url"),
            format!("{url}/dashboard/events/{}", event.id)
        );
        let taken = |other: &Event| other.slug == event.slug;
        assert!(
            !self.world.events.iter().any(taken),
            "{} is taken",
            event.slug
        );
        self.world.events.push(event);
    }

    /// The fields of an update that are given.
    fn written(&self, patch: &Patch) -> Value {
        let moment = |moment: Moment| self.world.written(moment);
        let mut fields = json!({});
        set(&mut fields, "title", patch.title);
        set(&mut fields, "start_date", patch.start.map(moment));
        set(&mut fields, "max_capacity", patch.max_capacity);
        set(&mut fields, "is_listed", patch.is_listed);
        set(&mut fields, "confirm_by_email", patch.confirm_by_email);
        set(&mut fields, "max_party", patch.max_party);
        set(
            &mut fields,
            "end_date",
            mentioned(&patch.end, |end| moment(*end)),
        );
        set(
            &mut fields,
            "city",
            mentioned(&patch.city, |city| (*city).to_owned()),
        );
        fields
    }

    /// Who asks for which event, and where in the model it is when it is theirs.
    fn find(&self, target: &Target) -> (Client, String, Option<usize>) {
        let Some(index) = target.event.checked_rem(self.world.events.len()) else {
            return (self.owner(0), NOBODYS.to_owned(), None);
        };
        let Event { owner, id, .. } = &self.world.events[index];
        if target.by_stranger {
            (self.owner(1 - owner), id.clone(), None)
        } else {
            (self.owner(*owner), id.clone(), Some(index))
        }
    }

    /// Asks for a change of an event, and compares what comes of it with what `decide` says.
    async fn ask<B: Binding>(
        &mut self,
        target: &Target,
        mut request: Value,
        decide: impl FnOnce(&World, &Event) -> Result<Event, Reason>,
    ) {
        let (client, id, found) = self.find(target);
        request["id"] = json!(id);
        let answer = client.call::<B>(request).await;
        let Some(index) = found else {
            return assert_eq!(reason(&answer), Some(Reason::NotFound));
        };
        match decide(&self.world, &self.world.events[index]) {
            Err(expected) => assert_eq!(reason(&answer), Some(expected)),
            Ok(after) => {
                let mut answer = answer.unwrap();
                // What only the answer to a change says is tested by itself.
                answer["registrants_notified"].take();
                answer["events_updated"].take();
                assert_eq!(answer, self.world.own_detail(&after));
                let before = &self.world.events[index];
                self.world.events[index] = after.noted(before, self.world.now);
            }
        }
    }

    async fn update(&mut self, target: &Target, patch: &Patch) {
        let fields = self.written(patch);
        self.ask::<UpdateEvent>(target, fields, |world, event| {
            let mut after = event.patched(patch);
            if let Some(objection) = world.objection(Some(event), &after) {
                return Err(objection);
            }
            if !world.has_ended(&after) {
                after.promote();
            }
            Ok(after)
        })
        .await;
    }

    async fn cancel(&mut self, target: &Target, why: Option<String>) {
        let (client, id, found) = self.find(target);
        let mut request = json!({ "id": id });
        set(&mut request, "reason", why.clone());
        let answer = client.call::<CancelEvent>(request).await;
        let Some(index) = found else {
            return assert_eq!(reason(&answer), Some(Reason::NotFound));
        };
        let is_over = self.world.has_ended(&self.world.events[index]);
        let event = &mut self.world.events[index];
        let notified = if event.is_cancelled || is_over {
            0
        } else {
            event.active_registrations()
        };
        let events_cancelled = i32::from(!event.is_cancelled);
        if !event.is_cancelled {
            (event.is_cancelled, event.cancel_reason) = (true, why);
            event.changed = self.world.now;
        }
        let expected = json!({
            "id": id,
            "cancelled": true,
            "reason": event.cancel_reason,
            "registrants_notified": notified,
            "added_not_notified": 0,
            "events_cancelled": events_cancelled,
        });
        assert_eq!(answer.unwrap(), expected);
    }

    /// Asks the system everything that it tells.
    pub(crate) async fn compare(&mut self) {
        self.compared += 1;
        tokio::join!(
            self.compare_catalogue(),
            self.compare_own(0),
            self.compare_own(1),
            self.compare_details(),
        );
    }

    async fn compare_catalogue(&self) {
        let anyone = self.app.over(self.surface).anyone();
        let total = self.world.public_events().len();
        // Whole, and one page: each time another, up to the empty one behind the end.
        let page = (1 + self.compared % 3, self.compared % (total + 2));
        for (limit, offset) in [(100, 0), page] {
            let request = json!({ "limit": limit, "offset": offset });
            let answer = anyone.ok::<ListEvents>(request).await;
            assert_eq!(answer, self.world.catalogue(limit, offset));
        }
    }

    async fn compare_own(&self, owner: usize) {
        let client = self.owner(owner);
        for (status, limit) in [("active", 100), ("past", 100), ("all", 100), ("all", 2)] {
            let request = json!({ "status": status, "limit": limit });
            let mut answer = client.ok::<ListMyEvents>(request).await;
            let expected = self.world.own(owner, status, limit);
            let shown = expected["items"].as_array().map(Vec::len);
            let is_last = expected["count"] == json!(shown);
            assert_eq!(answer["next_cursor"].take().is_null(), is_last, "{status}");
            assert_eq!(answer, expected, "{status}");
        }
        let account = client.ok::<GetAccount>(json!({})).await;
        let active = self.world.active_events(owner);
        assert_eq!(account["active_events"], json!(active));
        let left = QUOTAS[owner].map(|quota| quota.saturating_sub(active));
        assert_eq!(account["active_events_left"], json!(left));
    }

    async fn compare_details(&self) {
        let anyone = self.app.over(self.surface).anyone();
        for (index, event) in self.world.events.iter().enumerate() {
            let answer = anyone.call::<GetEvent>(json!({ "slug": event.slug })).await;
            match self.world.public_detail(event) {
                Some(expected) => assert_eq!(answer.unwrap(), expected),
                None => assert_eq!(reason(&answer), Some(Reason::NotFound), "{event:?}"),
            }
            let request = json!({ "id": event.id });
            let owner = self.owner(event.owner);
            let own = owner.ok::<GetMyEvent>(request.clone()).await;
            assert_eq!(own, self.world.own_detail(event));
            if index == self.compared % self.world.events.len() {
                let stranger = self.owner(1 - event.owner);
                let foreign = stranger.call::<GetMyEvent>(request).await;
                assert_eq!(reason(&foreign), Some(Reason::NotFound));
            }
        }
    }
}

fn reason(answer: &Outcome) -> Option<Reason> {
    answer.as_ref().err().map(|refusal| refusal.reason)
}

/// What a request says of a field that may be null; nothing when it does not mention it.
fn mentioned<T>(change: &Change<T>, write: impl FnOnce(&T) -> String) -> Option<Value> {
    match change {
        Change::Keep => None,
        Change::Clear => Some(Value::Null),
        Change::Set(value) => Some(write(value).into()),
    }
}

/// Adds a field that is given.
fn set(request: &mut Value, field: &str, value: Option<impl Into<Value>>) {
    let fields: &mut Map<String, Value> = request.as_object_mut().unwrap();
    if let Some(value) = value {
        fields.insert(field.to_owned(), value.into());
    }
}
