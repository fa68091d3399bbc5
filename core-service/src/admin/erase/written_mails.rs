//! Mails in the mail folder, which is used while no mail server is set, found by their recipient.

use std::{
    fs,
    io::{self, BufRead, BufReader},
    path::Path,
};

use domain::email;

/// Removes the mails to an address, including unfinished ones, and returns their number.
pub(super) fn remove(folder: &Path, address: &str) -> io::Result<u64> {
    let address = email::normalised(address);
    let files = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        files => files?,
    };
    let mut removed = 0;
    for file in files {
        let path = file?.path();
        let is_mail = path
            .extension()
            .is_some_and(|end| end == "eml" || end == "part");
        if is_mail && recipient(&path)?.as_deref() == Some(&*address) {
            fs::remove_file(path)?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// The address in the header `To`, in the form in which addresses are compared.
fn recipient(path: &Path) -> io::Result<Option<String>> {
    let mut to: Option<String> = None;
    for line in BufReader::new(fs::File::open(path)?).lines() {
        let line = line?;
        let continues = line.starts_with([' ', '\t']);
        match &mut to {
            Some(to) if continues => to.push_str(&line),
            Some(_) => break,
            None if line.is_empty() => break,
            None => to = line.strip_prefix("To:").map(str::to_owned),
        }
    }
    Ok(to.map(|to| {
        let address = to.rsplit_once('<').map_or(&*to, |(_, address)| address);
        email::normalised(address.trim().trim_end_matches('>'))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_mails_to_the_address_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, header: &str| {
            let mail = format!(
                "From: Muster <ada@example.org>\r\n{header}\r\n\r\nTo: ada@example.org\r\n"
            );
            fs::write(folder.path().join(name), mail).unwrap();
        };
        write("named.eml", "To: \"Ada, Countess\" <Ada@Example.org>");
        write("bare.eml", "To: ada@example.org");
        write("unfinished.part", "To: ada@example.org");
        write(
            "folded.eml",
            "To: =?utf-8?b?w4RkYQ==?=\r\n <ada@example.org>",
        );
        write("other.eml", "To: Ada <lady.ada@example.org>");
        write("nobody.eml", "Subject: ada@example.org");
        write("notes.txt", "To: ada@example.org");
        assert_eq!(remove(folder.path(), "ADA@example.org").unwrap(), 4);
        let mut left: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort_unstable();
        assert_eq!(left, ["nobody.eml", "notes.txt", "other.eml"]);
        assert_eq!(remove(&folder.path().join("none"), "a@b.c").unwrap(), 0);
    }
}
