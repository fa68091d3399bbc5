//! What headers say, in the main languages of Europe and in the exports of Eventbrite, Luma, pretix and Meetup. All are written as
//! [`key`] makes them: folded, letters and digits alone. Of several columns with the same meaning, the one that comes first here counts.

use domain::words;

/// A header as it is compared: without case, accents, spaces and signs.
pub(super) fn key(header: &str) -> String {
    let folded = words::folded(header);
    // The apostrophe of Ukrainian counts as a letter.
    let is_kept = |one: &char| one.is_alphanumeric() && *one != '\u{2bc}';
    folded.chars().filter(is_kept).collect()
}

/// Email addresses. Those of buyers come last: what counts is who comes.
pub(super) const EMAIL: &[&str] = &[
    "attendeeemail",
    "attendeeemailaddress",
    "participantemail",
    "guestemail",
    "teilnehmeremail",
    "email",
    "emails",
    "emailaddress",
    "mail",
    "mailaddress",
    "emailadresse",
    "mailadresse",
    "adresseemail",
    "adressemail",
    "adresseelectronique",
    "courriel",
    "correo",
    "correoelectronico",
    "direcciondecorreo",
    "direcciondecorreoelectronico",
    "direccionemail",
    "indirizzoemail",
    "indirizzomail",
    "postaelettronica",
    "enderecodeemail",
    "correioeletronico",
    "emailadres",
    "mailadres",
    "epost",
    "epostadress",
    "epostadresse",
    "sahkoposti",
    "sahkopostiosoite",
    "adresemail",
    "adrespocztyelektronicznej",
    "emailovaadresa",
    "emailcim",
    "adresadeemail",
    "adresaemail",
    "eposta",
    "epostaadresi",
    "epasts",
    "elpastas",
    "имеил",
    "емаил",
    "почта",
    "электроннаяпочта",
    "адресэлектронноипочты",
    "електроннапошта",
    "ηλεκτρονικοταχυδρομειο",
    "useremail",
    "memberemail",
    "contactemail",
    "orderemail",
    "bestellemail",
    "buyeremail",
    "purchaseremail",
    "billingemail",
];

/// Whether someone comes.
pub(super) const STATUS: &[&str] = &[
    "status",
    "attendeestatus",
    "approvalstatus",
    "orderstatus",
    "rsvp",
];

/// For how many people a line is.
pub(super) const PARTY_SIZE: &[&str] = &["partysize", "numberofpeople", "personen", "personenzahl"];

/// The names of those who come along.
pub(super) const COMPANIONS: &[&str] = &["companions", "namesoftheothers", "begleitung"];

/// Whole names.
pub(super) const NAME: &[&str] = &[
    "attendeename",
    "participantname",
    "guestname",
    "teilnehmername",
    "namedesteilnehmers",
    "name",
    "fullname",
    "vollstandigername",
    "vollername",
    "vorundnachname",
    "nomcomplet",
    "nometprenom",
    "nomprenom",
    "prenometnom",
    "prenomnom",
    "nombrecompleto",
    "nombreyapellidos",
    "nombreapellidos",
    "nomecompleto",
    "nomeecognome",
    "nomecognome",
    "naam",
    "volledigenaam",
    "namn",
    "fullstandigtnamn",
    "navn",
    "fuldenavn",
    "fulltnavn",
    "nimi",
    "kokonimi",
    "taisnimi",
    "imieinazwisko",
    "jmenoaprijmeni",
    "celejmeno",
    "menoapriezvisko",
    "nev",
    "teljesnev",
    "numecomplet",
    "numesiprenume",
    "imeiprezime",
    "imeinpriimek",
    "adsoyad",
    "adivesoyadi",
    "isim",
    "фио",
    "полноеимя",
    "имяифамилия",
    "повнеімя",
    "піб",
    "ονοματεπωνυμο",
    "attendee",
    "participant",
    "guest",
    "teilnehmer",
    "gast",
    "invite",
    "invitado",
    "ospite",
    "displayname",
    "username",
    "membername",
    "buyername",
];

/// Names that are given.
pub(super) const FIRST_NAME: &[&str] = &[
    "attendeefirstname",
    "attendeenamegivenname",
    "teilnehmernamevorname",
    "firstname",
    "givenname",
    "forename",
    "vorname",
    "prenom",
    "nombre",
    "nombres",
    "nome",
    "primeironome",
    "voornaam",
    "fornamn",
    "fornavn",
    "etunimi",
    "eesnimi",
    "imie",
    "jmeno",
    "krestnijmeno",
    "meno",
    "krstnemeno",
    "keresztnev",
    "utonev",
    "prenume",
    "ime",
    "vards",
    "vardas",
    "ad",
    "adi",
    "имя",
    "име",
    "імя",
    "ονομα",
];

/// Names of families.
pub(super) const LAST_NAME: &[&str] = &[
    "attendeelastname",
    "attendeesurname",
    "attendeenamefamilyname",
    "teilnehmernamenachname",
    "lastname",
    "surname",
    "familyname",
    "nachname",
    "familienname",
    "zuname",
    "nom",
    "nomdefamille",
    "apellido",
    "apellidos",
    "cognome",
    "apelido",
    "sobrenome",
    "ultimonome",
    "achternaam",
    "efternamn",
    "efternavn",
    "etternavn",
    "sukunimi",
    "perekonnanimi",
    "nazwisko",
    "prijmeni",
    "priezvisko",
    "vezeteknev",
    "csaladnev",
    "nume",
    "numedefamilie",
    "prezime",
    "priimek",
    "uzvards",
    "pavarde",
    "soyad",
    "soyadi",
    "фамилия",
    "прізвище",
    "επωνυμο",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_header_is_written_as_it_is_compared() {
        for header in [EMAIL, NAME, FIRST_NAME, LAST_NAME].concat() {
            assert_eq!(key(header), header);
        }
        assert_eq!(key(" Prénom & Nom "), "prenomnom");
        assert_eq!(key("E-Mail-Adresse:"), "emailadresse");
    }
}
