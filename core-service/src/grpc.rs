//! The gRPC surface: messages in, messages out. Proto types stop here.

mod account_export;
mod account_management_service;
mod account_service;
mod archive;
mod browsers;
mod call_record;
mod catalogue_service;
mod convert;
mod cover_service;
mod download;
mod edge_service;
pub mod edges;
mod event_service;
mod frame;
pub mod gate;
mod held_permit;
mod instance_service;
mod key_service;
mod mail_event_service;
mod member_service;
mod message;
mod message_service;
mod oauth_service;
mod organizer_mail_service;
mod person_service;
pub mod port;
mod preview;
mod registration_service;
mod request;
mod session_service;
mod sign_in_service;
mod statistics_service;
mod status;
mod view_service;
mod webhook_service;
pub use std::sync::Arc;

use covers::Studio;
use muster_api::{
    FILE_DESCRIPTOR_SET,
    frame::Framed,
    internal::v1::{
        account_management_service_server::AccountManagementServiceServer,
        edge_service_server::EdgeServiceServer, instance_service_server::InstanceServiceServer,
        key_service_server::KeyServiceServer, mail_event_service_server::MailEventServiceServer,
        member_service_server::MemberServiceServer, o_auth_service_server::OAuthServiceServer,
        organizer_mail_service_server::OrganizerMailServiceServer,
        person_service_server::PersonServiceServer, session_service_server::SessionServiceServer,
        sign_in_service_server::SignInServiceServer, view_service_server::ViewServiceServer,
    },
    v1::{
        account_service_server::AccountServiceServer,
        catalogue_service_server::CatalogueServiceServer, cover_service_server::CoverServiceServer,
        event_service_server::EventServiceServer, message_service_server::MessageServiceServer,
        registration_service_server::RegistrationServiceServer,
        statistics_service_server::StatisticsServiceServer,
        webhook_service_server::WebhookServiceServer,
    },
};
use server::Failure;
use tonic::service::Routes;
use tonic_health::server::HealthReporter;

use self::{
    account_management_service::AccountManagementApi, account_service::AccountApi,
    catalogue_service::CatalogueApi, cover_service::CoverApi, edge_service::EdgeApi,
    event_service::EventApi, frame::CoreFrame, instance_service::InstanceApi, key_service::KeyApi,
    mail_event_service::MailEventApi, member_service::MemberApi, message_service::MessageApi,
    oauth_service::OAuthApi, organizer_mail_service::OrganizerMailApi, person_service::PersonApi,
    registration_service::RegistrationApi, session_service::SessionApi, sign_in_service::SignInApi,
    statistics_service::StatisticsApi, view_service::ViewApi, webhook_service::WebhookApi,
};
use crate::{service::UseCases, webhook_post::WebhookPost};

pub(crate) use convert::webhook_json;

/// The name by which the health service says that core runs, whatever its database does: for those who start again what does not run.
const LIVE: &str = "live";

/// All services: ours with validation, health, and reflection (v1 and v1alpha).
///
/// # Errors
/// Never for descriptors that the build has compiled.
pub fn services(
    use_cases: &UseCases,
    studio: Studio,
    health: &HealthReporter,
) -> Result<Routes, Failure> {
    let unreadable = |error: tonic_reflection::server::Error| Failure::Internal(error.to_string());
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
            // The details of statuses, so that clients without proto files can show them.
            .register_encoded_file_descriptor_set(tonic_types::pb::FILE_DESCRIPTOR_SET)
            // Each version lists both; by default it lists only itself.
            .register_encoded_file_descriptor_set(tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(
                tonic_reflection::pb::v1alpha::FILE_DESCRIPTOR_SET,
            )
            .include_reflection_service(false)
    };
    let frame = Arc::new(CoreFrame {
        commands: use_cases.commands.clone(),
    });
    let links = || use_cases.links.clone();
    let preview_studio = studio.clone();
    let accounts = AccountApi {
        accounts: use_cases.accounts.clone(),
        activity: use_cases.activity.clone(),
        exports: use_cases.account_exports.clone(),
        links: links(),
    };
    let catalogue = CatalogueApi {
        catalogue: use_cases.catalogue.clone(),
        links: links(),
        site_name: use_cases.brand.name.clone(),
        studio: studio.clone(),
        cover_limit: use_cases.cover_limit.clone(),
    };
    let events = EventApi {
        events: use_cases.events.clone(),
        links: links(),
        brand: use_cases.brand.clone(),
        clock: use_cases.commands.clock().clone(),
        studio,
        cover_limit: use_cases.cover_limit.clone(),
    };
    let covers = CoverApi {
        covers: use_cases.own_covers.clone(),
        links: links(),
        clock: use_cases.commands.clock().clone(),
    };
    let covers = CoverServiceServer::new(Framed::new(&frame, covers))
        .max_decoding_message_size(cover_service::MAX_MESSAGE_BYTES);
    let registrations = RegistrationApi {
        registrations: use_cases.registrations.clone(),
        own_registrations: use_cases.own_registrations.clone(),
        link_limit: use_cases.link_limit.clone(),
        links: links(),
    };
    let messages = MessageApi {
        messages: use_cases.messages.clone(),
        own_registrations: use_cases.own_registrations.clone(),
        link_limit: use_cases.link_limit.clone(),
        links: links(),
        brand: use_cases.brand.clone(),
    };
    let statistics = StatisticsApi {
        statistics: use_cases.statistics.clone(),
    };
    let webhooks = WebhookApi {
        webhooks: use_cases.webhooks.clone(),
        post: WebhookPost::new(use_cases.webhooks.clone(), links(), webhook_json),
    };
    let health = tonic_health::pb::health_server::HealthServer::new(
        tonic_health::server::HealthService::from_health_reporter(health.clone()),
    );
    let public = Routes::new(AccountServiceServer::new(Framed::new(&frame, accounts)))
        .add_service(CatalogueServiceServer::new(Framed::new(&frame, catalogue)))
        .add_service(EventServiceServer::new(Framed::new(&frame, events)))
        .add_service(covers)
        .add_service(RegistrationServiceServer::new(Framed::new(
            &frame,
            registrations,
        )))
        .add_service(MessageServiceServer::new(Framed::new(&frame, messages)))
        .add_service(StatisticsServiceServer::new(Framed::new(
            &frame, statistics,
        )))
        .add_service(WebhookServiceServer::new(Framed::new(&frame, webhooks)))
        .add_service(health)
        .add_service(reflection().build_v1().map_err(unreadable)?)
        .add_service(reflection().build_v1alpha().map_err(unreadable)?);
    Ok(for_edges(public, use_cases, preview_studio, &frame).prepare())
}

/// Adds the services that only edges may call.
fn for_edges(
    routes: Routes,
    use_cases: &UseCases,
    studio: Studio,
    frame: &Arc<CoreFrame>,
) -> Routes {
    let instance = InstanceApi {
        info: use_cases.info.clone(),
        sign_up: use_cases.sign_in.sign_up(),
        event_defaults: use_cases.events.defaults().clone(),
        site_name: use_cases.brand.name.clone(),
        studio,
    };
    let sign_in = SignInApi {
        sign_in: use_cases.sign_in.clone(),
        take_back: use_cases.take_back.clone(),
    };
    let members = MemberApi {
        members: use_cases.members.clone(),
        link_limit: use_cases.link_limit.clone(),
    };
    let accounts = AccountManagementApi {
        accounts: use_cases.own_accounts.clone(),
        contacts: use_cases.contacts.clone(),
    };
    let keys = KeyApi {
        keys: use_cases.own_keys.clone(),
    };
    let oauth = OAuthApi {
        oauth: use_cases.oauth.clone(),
        site_name: use_cases.brand.name.clone(),
    };
    let people = PersonApi {
        profile: use_cases.profile.clone(),
    };
    let sessions = SessionApi {
        sessions: use_cases.sessions.clone(),
        site_name: use_cases.brand.name.clone(),
    };
    let mail_events = MailEventApi {
        reports: use_cases.mail_reports.clone(),
    };
    let organizer_mails = OrganizerMailApi {
        mails: use_cases.organizer_mails.clone(),
    };
    let views = ViewApi {
        statistics: use_cases.statistics.clone(),
    };
    routes
        .add_service(EdgeServiceServer::new(Framed::new(frame, EdgeApi)))
        .add_service(ViewServiceServer::new(Framed::new(frame, views)))
        .add_service(InstanceServiceServer::new(Framed::new(frame, instance)))
        .add_service(SignInServiceServer::new(Framed::new(frame, sign_in)))
        .add_service(SessionServiceServer::new(Framed::new(frame, sessions)))
        .add_service(AccountManagementServiceServer::new(Framed::new(
            frame, accounts,
        )))
        .add_service(MemberServiceServer::new(Framed::new(frame, members)))
        .add_service(KeyServiceServer::new(Framed::new(frame, keys)))
        .add_service(OAuthServiceServer::new(Framed::new(frame, oauth)))
        .add_service(PersonServiceServer::new(Framed::new(frame, people)))
        .add_service(MailEventServiceServer::new(Framed::new(frame, mail_events)))
        .add_service(OrganizerMailServiceServer::new(Framed::new(
            frame,
            organizer_mails,
        )))
}

/// Sets the health of every service, and of the whole server under the empty name.
pub async fn report_health(health: &HealthReporter, serving: bool) {
    let status = if serving {
        tonic_health::ServingStatus::Serving
    } else {
        tonic_health::ServingStatus::NotServing
    };
    let services = [
        "",
        muster_api::v1::account_service_server::SERVICE_NAME,
        muster_api::v1::catalogue_service_server::SERVICE_NAME,
        muster_api::v1::cover_service_server::SERVICE_NAME,
        muster_api::v1::event_service_server::SERVICE_NAME,
        muster_api::v1::registration_service_server::SERVICE_NAME,
        muster_api::v1::message_service_server::SERVICE_NAME,
        muster_api::v1::statistics_service_server::SERVICE_NAME,
        muster_api::v1::webhook_service_server::SERVICE_NAME,
    ];
    for service in services {
        health.set_service_status(service, status).await;
    }
    let live = tonic_health::ServingStatus::Serving;
    health.set_service_status(LIVE, live).await;
}
