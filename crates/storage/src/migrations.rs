//! The migrations of both engines, in one list and with one numbering. A new version appends to it. Existing migrations are
//! never edited, since their checksums are in every database.

use sqlx::{
    AssertSqlSafe, SqlSafeStr,
    migrate::{Migration, MigrationType},
};

/// One migration, with the same meaning on both engines.
struct Step {
    version: i64,
    name: &'static str,
    /// `None` if the engine needs no change.
    sqlite: Option<&'static str>,
    postgres: Option<&'static str>,
}

/// A migration whose files have its name.
macro_rules! step {
    ($version:literal, $file:literal, both) => {
        Step {
            sqlite: Some(include_str!(concat!(
                "../migrations/sqlite/",
                $file,
                ".sql"
            ))),
            ..step!($version, $file, postgres)
        }
    };
    ($version:literal, $file:literal, postgres) => {
        Step {
            version: $version,
            name: $file,
            sqlite: None,
            postgres: Some(include_str!(concat!(
                "../migrations/postgres/",
                $file,
                ".sql"
            ))),
        }
    };
    ($version:literal, $file:literal, sqlite) => {
        Step {
            version: $version,
            name: $file,
            sqlite: Some(include_str!(concat!(
                "../migrations/sqlite/",
                $file,
                ".sql"
            ))),
            postgres: None,
        }
    };
}

const STEPS: [Step; 68] = [
    step!(1, "0001_initial", both),
    step!(2, "0002_registering", both),
    step!(3, "0003_excused_jobs", both),
    step!(4, "0004_stock_covers", both),
    // What it removes costs nothing on SQLite.
    step!(5, "0005_events_known_to_be_there", postgres),
    step!(6, "0006_job_destinations", both),
    step!(7, "0007_idempotency_keys", both),
    step!(8, "0008_key_scopes", both),
    step!(9, "0009_catalogue_version", both),
    step!(10, "0010_confirmation_by_email", both),
    step!(11, "0011_new_details", both),
    step!(12, "0012_announcements", both),
    step!(13, "0013_catalogue_search", both),
    // PostgreSQL collects rows faster.
    step!(14, "0014_beginnings_of_words", sqlite),
    step!(15, "0015_event_pages", both),
    step!(16, "0016_check_in_codes", both),
    step!(17, "0017_sitemaps", both),
    step!(18, "0018_people", both),
    // On SQLite the words are in a table of their own.
    step!(19, "0019_narrow_catalogue_entries", postgres),
    step!(20, "0020_event_versions", both),
    step!(21, "0021_decline_reasons", both),
    step!(22, "0022_searchable_lists", both),
    step!(23, "0023_activity", both),
    step!(24, "0024_sign_in", both),
    step!(25, "0025_suspension", both),
    step!(26, "0026_more_counters", both),
    step!(27, "0027_organizer_mails", both),
    // PostgreSQL has neither problem.
    step!(28, "0028_faster_maintenance", sqlite),
    step!(29, "0029_sitemaps_from_an_index", sqlite),
    step!(30, "0030_oauth", both),
    step!(32, "0032_former_times", both),
    // SQLite finds entries in the order of their starts.
    step!(34, "0034_days_of_starts", postgres),
    step!(38, "0038_own_events", both),
    step!(41, "0041_seat_changes", both),
    step!(42, "0042_fewer_indexes", both),
    step!(43, "0043_job_traces", both),
    step!(44, "0044_event_changes", both),
    // PostgreSQL has no such tables.
    step!(45, "0045_counters_by_event", sqlite),
    step!(46, "0046_no_change_numbers", both),
    step!(47, "0047_mail_holds", both),
    step!(48, "0048_added_people", both),
    step!(49, "0049_trust", both),
    step!(50, "0050_proven_contacts", both),
    step!(52, "0052_security_notices", both),
    step!(53, "0053_email_changes", both),
    step!(55, "0055_zone_releases", both),
    step!(58, "0058_checked_in_by", both),
    step!(61, "0061_cover_variants", both),
    step!(62, "0062_cities", both),
    step!(63, "0063_reminders", both),
    step!(64, "0064_messages", both),
    step!(65, "0065_named_scopes", both),
    step!(66, "0066_mails", both),
    step!(74, "0074_own_covers", both),
    step!(76, "0076_own_answers", both),
    step!(77, "0077_for_guests_only", both),
    step!(81, "0081_event_views", both),
    step!(82, "0082_registration_times", both),
    step!(83, "0083_handles", both),
    step!(84, "0084_parties", both),
    step!(85, "0085_series", both),
    step!(86, "0086_members_of_events", both),
    step!(87, "0087_webhooks", both),
    step!(88, "0088_webhook_indexes", both),
    step!(89, "0089_left_before", both),
    step!(90, "0090_refusal_links", both),
    step!(91, "0091_faster_counts", both),
    step!(92, "0092_registration_closes", both),
];

/// SQLite's migrations.
pub(super) fn sqlite() -> Vec<Migration> {
    let own = STEPS.iter();
    own.filter_map(|step| Some(migration(step, step.sqlite?)))
        .collect()
}

/// PostgreSQL's migrations.
pub(super) fn postgres() -> Vec<Migration> {
    let own = STEPS.iter();
    own.filter_map(|step| Some(migration(step, step.postgres?)))
        .collect()
}

/// What only says how PostgreSQL itself stores rows, and what other servers, which speak its language, are told in its place.
const PHYSICAL: [(&str, &str); 3] = [
    (
        "ALTER TABLE stock_covers ALTER COLUMN jpeg SET STORAGE EXTERNAL;",
        "",
    ),
    (
        "ALTER TABLE catalogue_entries SET (toast_tuple_target = 128);",
        "",
    ),
    (
        "USING gin (words) WITH (fastupdate = off);",
        "USING gin (words);",
    ),
];

/// PostgreSQL's migrations for a server that is another one: the schema is the same. So are the checksums, as if all had been run.
pub(super) fn portable(migrations: Vec<Migration>) -> Vec<Migration> {
    let portable = |migration: Migration| {
        let text = migration.sql.as_str().to_owned();
        let text = PHYSICAL.iter().fold(text, |text, (physical, other)| {
            text.replace(physical, other)
        });
        Migration {
            sql: AssertSqlSafe(text).into_sql_str(),
            ..migration
        }
    };
    migrations.into_iter().map(portable).collect()
}

fn migration(step: &Step, sql: &'static str) -> Migration {
    let description = step
        .name
        .split_once('_')
        .map_or(step.name, |(_, name)| name);
    let sql = sql.into_sql_str();
    Migration::new(
        step.version,
        description.into(),
        MigrationType::Simple,
        sql,
        false,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_count_up_and_files_are_named_after_them() {
        assert!(STEPS.is_sorted_by(|one, next| one.version < next.version));
        for step in STEPS {
            let number = format!("{:04}_", step.version);
            assert!(step.name.starts_with(&number), "{}", step.name);
        }
    }

    #[test]
    fn what_only_postgresql_understands_is_in_one_migration_each_and_not_in_the_portable_ones() {
        for (physical, _) in PHYSICAL {
            let with = |all: Vec<Migration>| {
                let texts = all.into_iter().map(|one| one.sql.as_str().to_owned());
                texts.filter(|text| text.contains(physical)).count()
            };
            assert_eq!(with(postgres()), 1, "{physical}");
            assert_eq!(with(portable(postgres())), 0, "{physical}");
        }
        for migration in portable(postgres()) {
            let text = migration.sql.as_str();
            for word in [
                "SET STORAGE",
                "toast",
                "fastupdate",
                "UNLOGGED",
                "EXTENSION",
                "plpgsql",
            ] {
                let statements = text.lines().filter(|line| !line.trim().starts_with("--"));
                assert!(
                    !statements.collect::<String>().contains(word),
                    "{word} in {text}"
                );
            }
        }
        let checksums =
            |all: Vec<Migration>| -> Vec<_> { all.into_iter().map(|one| one.checksum).collect() };
        assert_eq!(checksums(postgres()), checksums(portable(postgres())));
    }
}
