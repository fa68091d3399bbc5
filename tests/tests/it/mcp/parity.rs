//! What one surface offers, the others offer too.

use std::collections::{BTreeMap, BTreeSet};

use muster_api::binding::{Binding, Content, PublicRpc, RpcVisitor, Visitor};
use serde_json::Value;

/// Rpcs that are no tools, on purpose. A new rpc gets a tool or a line here.
const NO_TOOLS: &[(&str, &str)] = &[
    ("GetCover", "a picture"),
    ("GetOrganizer", "a resource"),
    ("PutCover", "a picture"),
    ("DeleteCover", "who sends one removes it"),
    (
        "ExportRegistrations",
        "a file; list_registrations says the same",
    ),
    (
        "ImportRegistrations",
        "a file; register_attendee adds one person",
    ),
    ("ExportActivity", "a file; list_activity says the same"),
    ("ExportAccount", "a file; other tools list what is in it"),
    (
        "ListEventMails",
        "people look at it on the event's page; list_registrations marks who could not be mailed",
    ),
    (
        "RegisterAttendee",
        "for the public; organizers have register_attendee",
    ),
    (
        "ResendRegistrationMail",
        "people ask for it who look at the person's page",
    ),
    (
        "ApproveRegistration",
        "approve_registrations takes one, too",
    ),
    (
        "ListCheckInCodes",
        "hashes for a scanner; list_registrations says who is expected",
    ),
    ("PreviewMessage", "what send_message asks a person"),
    ("GetMessage", "list_messages says the same"),
    (
        "UpdateMessage",
        "a person looks at it in the dashboard, or sends another",
    ),
    ("CancelMessage", "people do it in the dashboard"),
    ("GetEventStatistics", "people look at it in the dashboard"),
    (
        "CreateWebhook",
        "where messages go is decided by no agent, which a guest's text could talk into it",
    ),
    ("UpdateWebhook", "likewise"),
    ("DeleteWebhook", "people do it in the dashboard"),
    ("RotateWebhookSecret", "its answer has a secret"),
    ("PingWebhook", "people do it in the dashboard"),
    ("GetWebhook", "list_webhooks says the same"),
    (
        "GetWebhookDelivery",
        "people look at it in the dashboard; list_webhook_deliveries says what became of it",
    ),
    (
        "ListWebhookMessages",
        "for programs that wait; an agent asks for what it wants to know",
    ),
];

/// Rpcs without a route, on purpose.
const NO_ROUTES: &[(&str, &str)] = &[
    ("PreviewCover", "a picture of the site"),
    ("GetOwnCover", "a picture of the site"),
    ("PreviewEventMail", "a page of the site"),
    ("PreviewRepetition", "a page of the site"),
    ("PreviewEventUpdate", "what the tool asks a person"),
    ("PreviewEventDeletion", "what the tool asks a person"),
    ("PreviewUnpublishing", "what the tool asks a person"),
    ("PreviewAddedRegistration", "what the tool asks a person"),
    ("PreviewApproval", "what the tool asks a person"),
    ("PreviewUpdatedRegistration", "what the tool asks a person"),
    ("PreviewPromotion", "what the tool asks a person"),
    ("PreviewWebhookReplay", "what the tool asks a person"),
    ("PreviewDecline", "what the tool asks a person"),
    (
        "PreviewRegistrationCancellation",
        "what the tool asks a person",
    ),
    ("PreviewCancellation", "the confirmation of a tool"),
    ("ExportRejectedLines", "a file of the site"),
    ("GetRegistrationByCode", "a page of the site"),
    ("GetRegistrations", "a page of the site"),
    ("DeclineRegistrations", "a page of the site"),
    ("GetEventPage", "a page of the site"),
    ("GetEventCalendar", "a file of the site"),
    ("GetCatalogueCalendar", "a file of the site"),
    ("ListCities", "a page of the site"),
    ("ListSitemaps", "a file of the site"),
    ("ListSitemapEvents", "a file of the site"),
    ("ListSitemapOrganizers", "a file of the site"),
    ("GetRegistrationCalendarByToken", "a file of the site"),
    ("GetTicket", "a page of the site"),
    ("GetGuide", "a resource, and a page of the site"),
    ("GetUseCase", "a resource, and a page of the site"),
    ("GetRegistrationByToken", "a page of the site"),
    ("ConfirmRegistrationByToken", "a page of the site"),
    ("ChangeAnswersByToken", "a page of the site"),
    ("TakeOverNewDetailsByToken", "a page of the site"),
    ("CancelRegistrationByToken", "a page of the site"),
    ("RefuseMailByToken", "a page of the site"),
    ("GetMailRefusalByToken", "a page of the site"),
    ("RefuseMailByFormerToken", "a page of the site"),
    ("RefuseRemindersByToken", "a page of the site"),
    ("StopMessagesByToken", "a page of the site"),
    ("ResumeMessagesByToken", "a page of the site"),
];

#[derive(Default)]
struct Rpcs(BTreeMap<&'static str, &'static str>);

impl RpcVisitor for Rpcs {
    fn visit<R: PublicRpc>(&mut self, _rpc: R) {
        self.0.insert(R::GRPC_PATH, R::NAME);
    }
}

#[derive(Default)]
struct Routes(BTreeMap<&'static str, (String, String, bool)>);

impl Visitor for Routes {
    fn visit<B: Binding>(&mut self, _binding: B) {
        let verb = B::METHOD.as_str().to_lowercase();
        let route = (B::PATH.to_owned(), verb, B::CONTENT == Content::File);
        self.0.entry(B::GRPC_PATH).or_insert(route);
    }
}

#[test]
fn every_rpc_has_its_route_its_openapi_path_and_its_tool() {
    let (mut rpcs, mut routes) = (Rpcs::default(), Routes::default());
    muster_api::visit_rpcs(&mut rpcs);
    muster_api::visit_bindings(&mut routes);
    let document: Value = serde_json::from_str(muster_api::OPENAPI).unwrap();
    let tools: Vec<Value> = serde_json::from_str(muster_api::TOOLS).unwrap();
    let tools: BTreeSet<&str> = tools
        .iter()
        .map(|row| row["grpc_path"].as_str().unwrap())
        .collect();
    let excused = |list: &[(&str, &str)], name: &str| list.iter().any(|(known, _)| *known == name);
    let mut wrong = Vec::new();
    for (path, name) in &rpcs.0 {
        match routes.0.get(path) {
            None if excused(NO_ROUTES, name) => continue,
            None => wrong.push(format!("{name} has no route")),
            Some((route, verb, _)) => {
                let below = route.strip_prefix("/api/v1").unwrap();
                if document["paths"][below].get(verb).is_none() {
                    wrong.push(format!("{name} has no path in the OpenAPI document"));
                }
            }
        }
        if tools.contains(path) == excused(NO_TOOLS, name) {
            wrong.push(format!("{name} is a tool and excused from it, or neither"));
        }
    }
    for path in tools {
        if !rpcs.0.contains_key(path) {
            wrong.push(format!("a tool calls {path}, which there is not"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
