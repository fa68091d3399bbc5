//! The page behind the QR code of a ticket. It shows the event and the status to anyone who sees the code, and no name.

use std::fmt::Write as _;

use askama::Template;
use muster_api::v1::{GetTicketRequest, Ticket, bindings::GetTicket};
use qrcode::{Color, EcLevel, QrCode};

use crate::{
    event::{ShownEvent, expected},
    layout::{Page, PageResult, Section, private},
    pages::{
        dashboard::ticket_for_staff,
        status::{Status, StatusMark},
    },
    request_context::RequestContext,
};

/// Light modules around a code, by which cameras find it.
const QUIET_ZONE: usize = 2;

#[derive(Template)]
#[template(path = "ticket.html")]
struct TicketPage {
    page: Page,
    event: ShownEvent,
    status: Status,
}

pub(in crate::pages) async fn show(context: RequestContext) -> PageResult {
    let code = context.segment(1)?;
    let (for_staff, context) = ticket_for_staff(context, &code).await?;
    if let Some(page) = for_staff {
        return Ok(page);
    }
    let mut ticket = context.ask::<GetTicket>(GetTicketRequest { code }).await?;
    let event = expected(ticket.event.take())?;
    let status = status(&ticket);
    let links = context.site.links();
    private(&TicketPage {
        page: Page::unlisted(links, status.headline, "A ticket.", Section::None),
        event: ShownEvent::of(&event)?,
        status,
    })
}

/// The status, for who stands at the door.
fn status(ticket: &Ticket) -> Status {
    match &*ticket.status {
        _ if ticket.is_event_cancelled => {
            Status::bad("This event is cancelled", "It will not take place.")
        }
        "Confirmed" if ticket.checked_in => Status::good("Checked in", "This guest has arrived."),
        "Confirmed" if ticket.is_event_ended => {
            Status::good("This event is over", "This guest had a spot.")
        }
        "Confirmed" => Status::good("This ticket is valid", "This guest has a spot."),
        "Waitlisted" => Status::warn("On the waitlist", "This guest has no spot yet."),
        "Cancelled" => Status::bad("This ticket is cancelled", "This guest has no spot."),
        _ => Status::warn("Not confirmed yet", "This guest has no spot yet."),
    }
}

/// A QR code as SVG, in the size of its box.
pub(crate) fn qr_code(text: &str) -> Option<String> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
    let width = code.width();
    let mut path = String::new();
    for (at, color) in code.to_colors().into_iter().enumerate() {
        if color == Color::Dark {
            let (x, y) = (at % width + QUIET_ZONE, at / width + QUIET_ZONE);
            let _infallible = write!(path, "M{x} {y}h1v1h-1z");
        }
    }
    let size = width + 2 * QUIET_ZONE;
    Some(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size} {size}\" shape-rendering=\"crispEdges\">\
         <path d=\"{path}\"/></svg>"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_a_square_of_dark_modules() {
        let svg = qr_code("https://muster.example/check-in/0123456789abcdefghij").unwrap();
        assert!(svg.contains("viewBox=\"0 0 37 37\""), "{svg}");
        // The finder patterns begin in three corners.
        for corner in ["M2 2h1", "M34 2h1", "M2 34h1"] {
            assert!(svg.contains(corner), "{corner}");
        }
        assert!(
            !svg.contains("M34 34h1v1h-1zM35"),
            "no pattern in the fourth corner"
        );
        assert_eq!(qr_code(&"x".repeat(5_000)), None);
    }

    #[test]
    fn who_stands_at_the_door_sees_whether_a_ticket_is_valid() {
        let of = |status: &str, change: fn(&mut Ticket)| {
            let mut ticket = Ticket {
                status: status.to_owned(),
                ..Ticket::default()
            };
            change(&mut ticket);
            super::status(&ticket).headline
        };
        assert_eq!(of("Confirmed", |_| {}), "This ticket is valid");
        assert_eq!(of("Confirmed", |one| one.checked_in = true), "Checked in");
        assert_eq!(of("Waitlisted", |_| {}), "On the waitlist");
        assert_eq!(of("Pending", |_| {}), "Not confirmed yet");
        assert_eq!(of("Cancelled", |_| {}), "This ticket is cancelled");
        let cancelled = of("Confirmed", |one| one.is_event_cancelled = true);
        assert_eq!(cancelled, "This event is cancelled");
    }
}
