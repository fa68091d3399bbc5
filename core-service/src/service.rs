//! The use cases, by subject. A change is a command: it is decided in exactly one transaction, by [`Commands::run`]. A query
//! returns only what its caller may see.
//!
//! The proto's rules on single fields (lengths, ranges, defaults) are applied before a use case is called.

mod account_export;
mod accounts;
mod activity;
mod catalogue;
mod clocks;
mod codes;
mod command;
mod contacts;
mod credentials;
mod erase;
mod error;
mod events;
mod exports;
mod guest_list;
mod idempotency;
mod judgement;
mod keys;
mod limits;
mod links;
mod mail_permits;
mod mail_quota;
mod mail_reports;
mod mail_stops;
mod mailboxes;
mod mails;
mod members;
mod messages;
mod oauth;
mod organizer_mails;
mod own_account;
mod own_keys;
mod pages;
mod power;
mod profile;
mod registrations;
mod removal;
mod sessions;
mod shared_secrets;
mod sign_in;
mod statistics;
mod suspension;
mod table;
mod take_back;
mod trust;
mod webhooks;

use std::sync::Arc;

use domain::{event::EventDefaults, message::Offer, plan::Plans};
use server::brand::Brand;

use self::limits::Limiters;

pub use account_export::{AccountExport, AccountExports, After, Part, Records};
pub(crate) use accounts::add_account;
pub use accounts::{AccountOverview, AccountView, Accounts, CalledOff, NewAccount};
pub use activity::{ActivityExport, ActivityFilter, ActivityLog, ActivityPage};
pub use catalogue::{
    Catalogue, CatalogueView, CoverView, CoverWords, OrganizerPage, PageView, PublicEvent, ShownBy,
    SitemapPage,
};
pub(crate) use clocks::follow_clocks;
pub use clocks::{ChangedEvent, planned_clocks};
pub(crate) use command::WaitingCall;
pub use command::{Commands, Context};
pub use contacts::Contacts;
pub use credentials::{AppCall, Authenticator, Caller, Principal, SessionTrust, SignedIn};
pub use domain::rate::LimitSettings;
pub use erase::{Erasure, LastOwner, Outlook, People};
pub use error::{Error, Lacking};
pub(crate) use error::{new_account_limit, new_account_limit_ends};
pub(crate) use events::EventJobError;
pub use events::{
    Cancellation, CancellationMails, Events, MyEvents, OwnCovers, PlannedChange, PlannedMail,
    PlannedUpdate, Repeat, Repeated, Target, Updated,
};
pub use idempotency::{Claim, Invocation, Replay, Storable};
pub use keys::{KeyTerms, Keys, NewKey};
pub use limits::{Allowance, CallLimits, CoverLimit, LinkLimit};
pub use links::Links;
pub use mail_permits::MailPermits;
pub(crate) use mail_permits::{Charge, Outgoing, Permit, Refusable};
pub use mail_reports::{MailReports, Taken};
pub(crate) use mail_stops::stop_after_failure;
pub use mails::Mails;
pub use members::{
    EventChoice, Members, NewInvitation, NewPosition, RemovedMember, UNKNOWN_EVENTS,
};
pub(crate) use messages::Begun;
pub use messages::{
    LeftOut, MessageMails, MessagePage, MessagePatch, MessageView, Messages, NewMessage,
    PlannedMessage,
};
pub use oauth::{
    Asked, Choice, ConsentAccount, Issued, OAuth, OAuthPolicy, Pending, Problem, ServerView,
    TokenRequest, WayBack,
};
pub(crate) use oauth::{MAX_UNUSED_CLIENTS, UNUSED_CLIENT_DAYS};
pub use organizer_mails::OrganizerMails;
pub use own_account::{AccountPatch, OwnAccounts};
pub use own_keys::{KeyRequest, OwnKeys};
pub use pages::PageStart;
pub use profile::Profile;
pub(crate) use registrations::settle_all;
pub use registrations::{
    Added, Approval, Arrival, DoorPlace, EventMails, Export, Imported, ImportedLine, MailChoice,
    MailFailure, MailRefusal, MessagesStopped, NewList, NewRegistration, Outcome, OwnRegistration,
    OwnRegistrations, PlannedRecipients, ReadPerson, RegistrationPage, RegistrationPatch,
    Registrations, Ticket,
};
pub(crate) use removal::purge;
pub use sessions::{SessionView, Sessions, SteppedUp};
pub use shared_secrets::SharedSecrets;
pub(crate) use sign_in::may_sign_in;
pub use sign_in::{Browser, NewSession, SignIn, SignUp};
pub use statistics::{EventStatistics, PageViews, Statistics};
pub use storage::{EventFilter, MyEventsFilter, RegistrationFilter, StoredConnection};
pub use suspension::Suspensions;
pub use table::Separator;
pub(crate) use table::{Piece, safe};
pub use take_back::TakeBack;
pub use webhooks::{
    DeliveryPage, Failed, MadeWebhook, NewWebhook, Outbound, OwnWebhooks, Prepared, PullFrom,
    PulledMessages, Replayed, SealedSecrets, Wait, WebhookPatch, WebhookPolicy, Webhooks,
    WhichMessages,
};
pub(crate) use webhooks::{attempt_at, end_expired_webhooks, judge_failing_webhooks, refused_with};

/// All use cases of a core. Clones share everything.
#[derive(Debug, Clone)]
pub struct UseCases {
    /// The command seam, by which all of them write.
    pub commands: Commands,
    /// URLs in answers and mails.
    pub links: Links,
    /// Authentication of callers.
    pub authenticator: Authenticator,
    /// Limits on the calls of accounts.
    pub call_limits: CallLimits,
    /// The limit on the covers that are drawn for a client.
    pub cover_limit: CoverLimit,
    /// The limit on unknown private links and check-in codes.
    pub link_limit: LinkLimit,
    /// Accounts.
    pub accounts: Accounts,
    /// What happened on the caller's account.
    pub activity: ActivityLog,
    /// Exports of whole accounts.
    pub account_exports: AccountExports,
    /// API keys.
    pub keys: Keys,
    /// Signing in and signing up.
    pub sign_in: SignIn,
    /// Taking back addresses that were changed.
    pub take_back: TakeBack,
    /// Sessions of people who are signed in.
    pub sessions: Sessions,
    /// Members of accounts.
    pub members: Members,
    /// Accounts, for their members.
    pub own_accounts: OwnAccounts,
    /// Addresses for questions in mails.
    pub contacts: Contacts,
    /// What operators withdraw from the public.
    pub suspensions: Suspensions,
    /// Keys of accounts, for their members.
    pub own_keys: OwnKeys,
    /// Apps that act for people.
    pub oauth: OAuth,
    /// People's own names and addresses.
    pub profile: Profile,
    /// What pages show about this installation.
    pub info: InstanceInfo,
    /// What the site is called, and its colour.
    pub brand: Brand,
    /// The public catalogue.
    pub catalogue: Catalogue,
    /// The caller's own events.
    pub events: Events,
    /// Pictures that organizers send as covers.
    pub own_covers: OwnCovers,
    /// Numbers about events.
    pub statistics: Statistics,
    /// Registrations, for the public and the organizer.
    pub registrations: Registrations,
    /// An attendee's own registration.
    pub own_registrations: OwnRegistrations,
    /// Messages to the people who registered for an event.
    pub messages: Messages,
    /// Messages about changes for programs.
    pub webhooks: Webhooks,
    /// Mails that were not sent, for administrators.
    pub mails: Mails,
    /// What mails need before they are sent.
    pub mail_permits: MailPermits,
    /// Reports about mails that were handed over.
    pub mail_reports: MailReports,
    /// Mails to organizers about registrations.
    pub organizer_mails: OrganizerMails,
    /// Personal data.
    pub people: People,
}

/// The operator's settings for use cases.
#[derive(Debug, Clone)]
pub struct Policy {
    /// URLs in answers and mails.
    pub links: Links,
    /// The quotas of each plan.
    pub plans: Plans,
    /// What applies where neither a request to create an event nor its account says something.
    pub event_defaults: EventDefaults,
    /// Which accounts may write messages.
    pub messages: Offer,
    /// Rate limits on calls and registrations.
    pub limits: LimitSettings,
    /// Who may sign up.
    pub sign_up: SignUp,
    /// What apps may do that act for people.
    pub oauth: OAuthPolicy,
    /// What pages show about this installation.
    pub info: InstanceInfo,
    /// The secrets of mail providers that report what became of mails.
    pub mail_events: SharedSecrets,
    /// What the site is called, and its colour: as the mailer knows it.
    pub brand: Brand,
    /// What sending to webhooks needs.
    pub webhooks: WebhookPolicy,
}

/// What pages show about this installation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InstanceInfo {
    /// The folder in which mails are, if there is no mail server.
    pub mail_folder: Option<String>,
    /// Where one can have a larger plan.
    pub upgrade_url: Option<String>,
    /// The legal notice.
    pub legal_url: Option<String>,
    /// The privacy notice.
    pub privacy_url: Option<String>,
    /// The address to report abuse to.
    pub abuse_email: Option<String>,
    /// Where to report a weakness, as a URI.
    pub security_contact: Option<String>,
}

impl Default for Policy {
    /// The defaults of the settings.
    fn default() -> Self {
        Self {
            links: Links::default(),
            plans: Plans::default(),
            event_defaults: EventDefaults::default(),
            messages: Offer::default(),
            limits: LimitSettings::default(),
            sign_up: SignUp::default(),
            oauth: OAuthPolicy::default(),
            info: InstanceInfo::default(),
            mail_events: SharedSecrets::default(),
            brand: Brand::default(),
            webhooks: WebhookPolicy::default(),
        }
    }
}

impl UseCases {
    /// The use cases on a migrated database. Must be called within a Tokio runtime, in which the batchers run.
    pub fn new(commands: Commands, policy: Policy) -> Self {
        let Policy {
            links,
            plans,
            event_defaults,
            messages,
            limits,
            sign_up,
            oauth,
            info,
            mail_events,
            brand,
            webhooks,
        } = policy;
        let commands = commands.with_mailbox_limits(limits.mailboxes);
        let limiters = Arc::new(Limiters::new(limits, commands.clock()));
        let authenticator = Authenticator::new(commands.store().clone(), commands.clock().clone());
        let accounts = Accounts::new(commands.clone(), plans);
        let activity = ActivityLog::new(commands.clone(), brand.name.clone());
        let events = Events::new(commands.clone(), plans, event_defaults);
        Self {
            call_limits: CallLimits(Arc::clone(&limiters)),
            cover_limit: CoverLimit(Arc::clone(&limiters)),
            link_limit: LinkLimit(Arc::clone(&limiters)),
            account_exports: AccountExports::new(
                commands.clone(),
                accounts.clone(),
                activity.clone(),
            ),
            accounts,
            activity,
            keys: Keys::new(commands.clone(), &authenticator),
            sign_in: SignIn::new(commands.clone(), Arc::clone(&limiters), sign_up),
            take_back: TakeBack::new(commands.clone(), &authenticator, Arc::clone(&limiters)),
            sessions: Sessions::new(commands.clone(), &authenticator),
            members: Members::new(commands.clone(), &authenticator, plans),
            contacts: Contacts::new(commands.clone(), plans),
            own_accounts: OwnAccounts::new(commands.clone(), &authenticator, sign_up),
            suspensions: Suspensions::new(commands.clone()),
            own_keys: OwnKeys::new(commands.clone(), &authenticator),
            oauth: OAuth::new(
                commands.clone(),
                &authenticator,
                Arc::clone(&limiters),
                &links,
                oauth,
            ),
            profile: Profile::new(commands.clone(), &authenticator),
            info,
            brand,
            catalogue: Catalogue::new(&commands),
            own_covers: OwnCovers::new(events.clone()),
            events,
            own_registrations: OwnRegistrations::new(commands.clone(), links.clone(), &plans),
            messages: Messages::new(commands.clone(), plans, messages),
            webhooks: Webhooks::new(commands.clone(), Arc::clone(&limiters), webhooks),
            mail_permits: MailPermits::new(commands.clone(), plans),
            mail_reports: MailReports::new(commands.clone(), mail_events),
            registrations: Registrations::new(commands.clone(), links.clone(), limiters, plans),
            mails: Mails::new(commands.clone()),
            statistics: Statistics::new(commands.clone()),
            organizer_mails: OrganizerMails::new(commands.clone(), &plans),
            people: People::new(commands.clone()),
            authenticator,
            links,
            commands,
        }
    }
}
