//! The gRPC surface: messages in, messages out. Proto types stop here.

mod account_export;
mod account_management_service;
mod account_service;
mod api;
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

use self::{api::Api, frame::CoreFrame};
use crate::service::UseCases;

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
    let api = Arc::new(Framed::new(&frame, Api::new(use_cases, studio)));
    let covers = CoverServiceServer::from_arc(Arc::clone(&api))
        .max_decoding_message_size(message::max_file_bytes());
    let health = tonic_health::pb::health_server::HealthServer::new(
        tonic_health::server::HealthService::from_health_reporter(health.clone()),
    );
    let public = Routes::new(AccountServiceServer::from_arc(Arc::clone(&api)))
        .add_service(CatalogueServiceServer::from_arc(Arc::clone(&api)))
        .add_service(EventServiceServer::from_arc(Arc::clone(&api)))
        .add_service(covers)
        .add_service(RegistrationServiceServer::from_arc(Arc::clone(&api)))
        .add_service(MessageServiceServer::from_arc(Arc::clone(&api)))
        .add_service(StatisticsServiceServer::from_arc(Arc::clone(&api)))
        .add_service(WebhookServiceServer::from_arc(Arc::clone(&api)))
        .add_service(health)
        .add_service(reflection().build_v1().map_err(unreadable)?)
        .add_service(reflection().build_v1alpha().map_err(unreadable)?);
    Ok(for_edges(public, &api).prepare())
}

/// Adds the services that only edges may call.
fn for_edges(routes: Routes, api: &Arc<Framed<CoreFrame, Api>>) -> Routes {
    routes
        .add_service(EdgeServiceServer::from_arc(Arc::clone(api)))
        .add_service(ViewServiceServer::from_arc(Arc::clone(api)))
        .add_service(InstanceServiceServer::from_arc(Arc::clone(api)))
        .add_service(SignInServiceServer::from_arc(Arc::clone(api)))
        .add_service(SessionServiceServer::from_arc(Arc::clone(api)))
        .add_service(AccountManagementServiceServer::from_arc(Arc::clone(api)))
        .add_service(MemberServiceServer::from_arc(Arc::clone(api)))
        .add_service(KeyServiceServer::from_arc(Arc::clone(api)))
        .add_service(OAuthServiceServer::from_arc(Arc::clone(api)))
        .add_service(PersonServiceServer::from_arc(Arc::clone(api)))
        .add_service(MailEventServiceServer::from_arc(Arc::clone(api)))
        .add_service(OrganizerMailServiceServer::from_arc(Arc::clone(api)))
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
