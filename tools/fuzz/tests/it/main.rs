//! The fuzzers without libFuzzer.

use fuzz::{TARGETS, Target};

#[test]
fn every_target_keeps_its_promises_for_its_seeds() {
    for target in TARGETS {
        let seeds = (target.seeds)();
        assert!(!seeds.is_empty(), "{}", target.name);
        for seed in seeds {
            println!("{}: {}", target.name, seed.escape_ascii());
            (target.run)(&seed);
        }
    }
}

#[test]
fn every_target_takes_what_is_nothing() {
    for target in TARGETS {
        for input in [&b""[..], b"\0", b"\xff\xff\xff", b"\x01\r\n\r\n"] {
            (target.run)(input);
        }
    }
}

#[test]
#[should_panic(expected = "the planted fault")]
fn the_control_has_a_fault() {
    let control = Target::find("control").unwrap();
    (control.run)(&[0xb9, 0x79, 0x37, 0x9e]);
}
