use domain::event::{FieldId, FieldType};

use super::*;

fn question(label: &str, field_type: FieldType, options: &[&str]) -> CustomField {
    CustomField {
        id: Some(FieldId::of_label(label)),
        label: label.to_owned(),
        field_type,
        required: false,
        options: options.iter().map(|&option| option.to_owned()).collect(),
    }
}

/// Line, name and address of everyone.
fn people(text: &str) -> Vec<(i32, String, String)> {
    let list = GuestList::read(text.as_bytes(), &[], 1).unwrap();
    let person = |line: &Line| {
        let guest = list.guest(line, &[]);
        (line.number, guest.name, guest.email)
    };
    list.lines.iter().map(person).collect()
}

#[track_caller]
fn finds(text: &str, expected: &[(i32, &str, &str)]) {
    let found = people(text);
    let found: Vec<_> = found
        .iter()
        .map(|(line, name, email)| (*line, &**name, &**email))
        .collect();
    assert_eq!(found, expected);
}

#[track_caller]
fn refuses(bytes: &[u8], why: Unreadable) {
    assert_eq!(GuestList::read(bytes, &[], 1).unwrap_err(), why);
}

#[test]
fn lines_keep_their_numbers_whatever_is_between_them() {
    let expected = [(4, "Ada L", "ada@example.org"), (7, "Bo", "bo@example.org")];
    let text = "Name,Email\n\n,\n\"Ada\nL\",ada@example.org\n\nBo,bo@example.org\n";
    finds(
        text,
        &[(4, "Ada L", "ada@example.org"), (7, "Bo", "bo@example.org")],
    );
    for line_break in ["\r\n", "\r"] {
        finds(&text.replace('\n', line_break), &expected);
    }
}

#[test]
fn the_separator_is_the_one_of_the_header_or_the_one_that_is_said() {
    for separator in [",", ";", "\t"] {
        let text = "\"Name, of; you\"|Name|E-Mail\nx|Ada|ada@example.org\n".replace('|', separator);
        finds(&text, &[(2, "Ada", "ada@example.org")]);
    }
    finds(
        "sep=;\r\nName;Email\r\nAda;ada@example.org",
        &[(3, "Ada", "ada@example.org")],
    );
}

#[test]
fn headers_are_known_in_many_languages_and_of_other_services() {
    for header in [
        "Name,Email",
        "Attendee name,Attendee email",
        "Vollständiger Name,E-Mail-Adresse",
        "Nom complet,Adresse e-mail",
        "Nombre completo,Correo electrónico",
        "Nome e cognome,Indirizzo e-mail",
        "Volledige naam,E-mailadres",
        "Imię i nazwisko,Adres e-mail",
        "Jméno a příjmení,E-mailová adresa",
        "ФИО,Электронная почта",
        "Ονοματεπώνυμο,Ηλεκτρονικό ταχυδρομείο",
        "Kokonimi,Sähköposti",
        "Fullständigt namn,E-postadress",
        "Ad Soyad,E-posta",
    ] {
        finds(
            &format!("{header}\nAda L,ada@example.org\n"),
            &[(2, "Ada L", "ada@example.org")],
        );
    }
    for header in [
        "First Name,Last Name,Email",
        "Attendee name: Given name,Attendee name: Family name,Attendee email",
        "Vorname,Nachname,E-Mail",
        "Prénom,Nom,Courriel",
        "Nombre,Apellidos,Correo electrónico",
        "Nome,Cognome,Email",
        "Імʼя,Прізвище,Електронна пошта",
    ] {
        finds(
            &format!("{header}\nAda,L,ada@example.org\n"),
            &[(2, "Ada L", "ada@example.org")],
        );
    }
}

#[test]
fn who_comes_counts_before_who_paid() {
    finds(
        "Buyer Email,Email,Attendee Email,Name\nb@example.org,e@example.org,a@example.org,Ada\n",
        &[(2, "Ada", "a@example.org")],
    );
}

#[test]
fn a_whole_name_counts_before_its_parts_which_stand_in_for_it() {
    finds(
        "name,first_name,last_name,email\nAda L,A,B,ada@example.org\n,Bo,C,bo@example.org\n",
        &[
            (2, "Ada L", "ada@example.org"),
            (3, "Bo C", "bo@example.org"),
        ],
    );
}

#[test]
fn answers_are_found_by_their_questions_and_other_columns_are_ignored() {
    let questions = [
        question("Diet", FieldType::Text, &[]),
        question(
            "Days",
            FieldType::MultiSelect,
            &["Friday, late", "Saturday"],
        ),
        question("Newsletter", FieldType::Checkbox, &[]),
        question("First name", FieldType::Text, &[]),
    ];
    let text = "Name,Email,Ticket,diet,Days,Newsletter,First name\n\
        Ada,ada@example.org,VIP,'=none,\"Saturday; Friday, late\",ja,A\n\
        Bo,bo@example.org,,,\"Friday, late\",,\n";
    let list = GuestList::read(text.as_bytes(), &questions, 1).unwrap();
    let said = |at: usize| {
        let guest = list.guest(&list.lines[at], &questions);
        let answers = guest.answers.into_iter();
        answers
            .map(|answer| (answer.label, answer.values))
            .collect::<Vec<_>>()
    };
    let one = |label: &str, values: &[&str]| {
        let values = values.iter().map(|&value| value.to_owned()).collect();
        (label.to_owned(), values)
    };
    let ada: Vec<(String, Vec<String>)> = vec![
        one("Diet", &["=none"]),
        one("Days", &["Saturday", "Friday, late"]),
        one("Newsletter", &["true"]),
        one("First name", &["A"]),
    ];
    assert_eq!(said(0), ada);
    assert_eq!(said(1), [one("Days", &["Friday, late"])]);
    let ignored: Vec<_> = list
        .meanings()
        .filter(|(_, meaning)| *meaning == Meaning::Ignored)
        .map(|(header, _)| header)
        .collect();
    assert_eq!(ignored, ["Ticket"]);
}

#[test]
fn what_is_no_list_is_refused() {
    refuses(b"", Unreadable::Empty);
    refuses(b"\n\n", Unreadable::Empty);
    refuses(b"Name,Email\n", Unreadable::Empty);
    refuses(b"Name,Telephone\nAda,1\n", Unreadable::NoEmail);
    refuses(b"Email\nada@example.org\n", Unreadable::NoName);
    refuses(b"PK\x03\x04\x14\0\0\0\x08\0", Unreadable::NoText);
    refuses(b"\x89PNG\r\n\x1a\n", Unreadable::NoText);
    refuses(
        b"\xef\xbb\xbfName,Email\nJos\xe9,j@example.org",
        Unreadable::NoText,
    );
    refuses(b"\xff\xfeN\0a", Unreadable::NoText);
    let many = "Ada,ada@example.org\n".repeat(MAX_LINES + 1);
    refuses(
        format!("Name,Email\n{many}").as_bytes(),
        Unreadable::TooLong,
    );
}

#[test]
fn every_encoding_of_spreadsheets_is_read() {
    let text = "Name;E-Mail\nJosé Ñandú;jose@example.org\n";
    let utf_16 =
        |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    let (little, big) = (utf_16(u16::to_le_bytes), utf_16(u16::to_be_bytes));
    let (windows, ..) = encoding_rs::WINDOWS_1252.encode(text);
    for bytes in [
        text.as_bytes().to_vec(),
        [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        [b"\xff\xfe", &*little].concat(),
        [b"\xfe\xff", &*big].concat(),
        little,
        big,
        windows.into_owned(),
    ] {
        let list = GuestList::read(&bytes, &[], 1).unwrap();
        assert_eq!(list.guest(&list.lines[0], &[]).name, "José Ñandú");
    }
}

#[test]
fn lists_have_a_bound_on_their_columns() {
    let wide = ",".repeat(400_000);
    refuses(
        format!("Name,Email{wide}\nAda,ada@example.org\n").as_bytes(),
        Unreadable::TooWide,
    );
    refuses(
        format!("Name,Email\nAda,ada@example.org{wide}\n").as_bytes(),
        Unreadable::TooWide,
    );
    let cells = ",x".repeat(MAX_COLUMNS - 2);
    finds(
        &format!("Name,Email\nAda,ada@example.org{cells}\nBo\n"),
        &[(2, "Ada", "ada@example.org"), (3, "Bo", "")],
    );
}

#[test]
fn a_list_says_who_does_not_come() {
    let text = "Name,Email,Status\nAda,ada@example.org,Confirmed\nBo,bo@example.org,Cancelled\n";
    let list = GuestList::read(text.as_bytes(), &[], 1).unwrap();
    let cancelled = list
        .lines
        .iter()
        .map(|line| list.guest(line, &[]).is_cancelled);
    assert_eq!(cancelled.collect::<Vec<_>>(), [false, true]);
}

#[test]
fn a_question_called_like_a_status_is_a_question() {
    let questions = [question("RSVP", FieldType::Text, &[])];
    let text = "First name,Last name,Email,RSVP\nAda,L,ada@example.org,declined\n";
    let list = GuestList::read(text.as_bytes(), &questions, 1).unwrap();
    let guest = list.guest(&list.lines[0], &questions);
    assert_eq!(
        (guest.is_cancelled, guest.answers[0].values.len()),
        (false, 1)
    );
}

#[test]
fn a_header_that_may_count_people_does_if_its_cells_are_numbers() {
    let meaning = |text: &str, max_party| {
        let list = GuestList::read(text.as_bytes(), &[], max_party).unwrap();
        list.columns.meaning(2)
    };
    for header in [
        "People", "Guests", "Tickets", "Anzahl", "Quantity", "Seats", "Places",
    ] {
        let list = |size: &str| {
            format!("Name,Email,{header}\nAda,ada@example.org,{size}\nBo,bo@example.org,\n")
        };
        assert_eq!(meaning(&list("2"), 3), Meaning::PartySize, "{header}");
        // Parties are not possible, or it says which ticket or whom.
        assert_eq!(meaning(&list("2"), 1), Meaning::Ignored, "{header}");
        assert_eq!(meaning(&list("1x VIP"), 3), Meaning::Ignored, "{header}");
    }
    let explicit = "Name,Email,Number of people\nAda,ada@example.org,many\n";
    assert_eq!(meaning(explicit, 1), Meaning::PartySize);
    let both = "Name,Email,Party size,Tickets\nAda,ada@example.org,2,9\n";
    let list = GuestList::read(both.as_bytes(), &[], 3).unwrap();
    assert_eq!(list.guest(&list.lines[0], &[]).party.size, 2);
}
