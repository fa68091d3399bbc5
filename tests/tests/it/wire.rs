//! JSON that the gateway writes from the wire format is what serde makes of the message, byte for byte.

use muster_api::{
    binding::{Binding, Content, Visitor},
    v1::{
        CustomField, Event, EventList, MyEventList, StaticItem, StaticItemList,
        bindings::{GetEvent, ListEvents, ListGuides, ListMyEvents},
    },
    wire::Malformed,
};
use prost::Message as _;

fn written<B: Binding>(message: &[u8]) -> Result<String, Malformed> {
    let mut json = Vec::new();
    B::write_json(message, &mut json)?;
    Ok(String::from_utf8(json).unwrap())
}

#[track_caller]
fn assert_same<B: Binding>(message: &B::Response) {
    let by_serde = String::from_utf8(B::to_json(message).unwrap()).unwrap();
    assert_eq!(
        written::<B>(&message.encode_to_vec()).unwrap(),
        by_serde,
        "{}",
        B::NAME
    );
}

fn event() -> Event {
    Event {
        slug: "a-b".to_owned(),
        title: "Quotes \" and \\, \u{1}\n\t\u{7f}, Größe \u{1f389} </script>".to_owned(),
        city: Some(String::new()),
        capacity: -1,
        seats_left: i32::MAX,
        is_full: true,
        custom_fields: vec![
            CustomField {
                label: Some("Size".to_owned()),
                options: vec!["S".to_owned(), String::new(), "L".to_owned()],
                ..CustomField::default()
            },
            CustomField::default(),
        ],
        ..Event::default()
    }
}

fn list() -> EventList {
    EventList {
        items: vec![event(), Event::default(), event()],
        count: i32::MIN,
        next_offset: Some(0),
        ..EventList::default()
    }
}

struct Empty;

impl Visitor for Empty {
    fn visit<B: Binding>(&mut self, _: B) {
        assert_eq!(B::SHAPE.is_some(), B::CONTENT == Content::Json);
        if B::CONTENT == Content::Json {
            assert_same::<B>(&B::Response::default());
        }
    }
}

#[test]
fn what_is_absent_is_written_as_serde_writes_it() {
    muster_api::visit_bindings(&mut Empty);
}

#[test]
fn texts_numbers_lists_and_messages_are_written_as_serde_writes_them() {
    assert_same::<GetEvent>(&event());
    assert_same::<ListEvents>(&list());
    assert_same::<ListMyEvents>(&MyEventList::default());
    let item = StaticItem {
        slug: "one".to_owned(),
        ..StaticItem::default()
    };
    let items = vec![item, StaticItem::default()];
    assert_same::<ListGuides>(&StaticItemList { items });
}

#[test]
fn every_character_that_json_escapes_is_written_as_serde_writes_it() {
    let controls: String = (0..=0x80).filter_map(char::from_u32).collect();
    for length in [0, 1, 62, 63, 64, 65, 200] {
        let event = Event {
            title: "ö".repeat(length) + &controls + "\"",
            description: "x".repeat(length) + "\n",
            location: "\\".repeat(length),
            ..event()
        };
        assert_same::<GetEvent>(&event);
    }
}

#[test]
fn fields_in_another_order_are_written_in_that_of_the_proto() {
    let plain = written::<ListEvents>(&list().encode_to_vec()).unwrap();
    let part = |items: &[Event], count| {
        let part = EventList {
            items: items.to_vec(),
            count,
            next_offset: (count != 0).then_some(0),
            ..EventList::default()
        };
        part.encode_to_vec()
    };
    let items = list().items;
    // The last value of a field counts, and items may have other fields between them.
    let message = [
        part(&[], 7),
        part(&items[..1], 0),
        part(&[], i32::MIN),
        part(&items[1..], 0),
    ];
    assert_eq!(written::<ListEvents>(&message.concat()).unwrap(), plain);
}

#[test]
fn a_page_says_where_the_next_one_is() {
    let next = |next_offset| {
        let page = EventList {
            next_offset,
            ..EventList::default()
        };
        ListEvents::next_page(&page.encode_to_vec()).unwrap()
    };
    assert_eq!(next(Some(50)), Some(("offset", "50".to_owned())));
    assert_eq!(next(None), None);
}

#[test]
fn what_a_newer_core_adds_is_left_out() {
    let mut message = event().encode_to_vec();
    let plain = written::<GetEvent>(&message).unwrap();
    // Fields 1000 to 1003: a number, 64 bits, bytes and 32 bits.
    for (number, kind, value) in [
        (1000_u32, 0, &[0x80, 0x01][..]),
        (1001, 1, &[7; 8]),
        (1002, 2, &[2, 9, 9]),
        (1003, 5, &[7; 4]),
    ] {
        prost::encoding::encode_varint(u64::from(number << 3 | kind), &mut message);
        message.extend(value);
    }
    assert_eq!(written::<GetEvent>(&message).unwrap(), plain);
}

#[test]
fn what_is_no_message_is_refused() {
    let message = list().encode_to_vec();
    for end in 1..message.len() {
        // Some beginnings are whole messages; none may do harm.
        let _written = written::<ListEvents>(&message[..end]);
    }
    for wrong in [&[0x0a][..], &[0x0a, 5, 1], &[0x0b], &[0xff; 11], &[0x08, 1]] {
        assert_eq!(written::<ListEvents>(wrong), Err(Malformed), "{wrong:?}");
    }
    let text = [0x0a, 2, 0xc3, 0x28];
    assert_eq!(written::<GetEvent>(&text), Err(Malformed));
}

#[test]
fn the_events_of_a_page_are_found() {
    use muster_api::binding::Rpc as _;
    let mut slugs = Vec::new();
    ListEvents::seats_of(&list().encode_to_vec(), &mut |slug| {
        slugs.push(slug.to_owned());
    })
    .unwrap();
    assert_eq!(slugs, ["a-b", "a-b"]);
}
