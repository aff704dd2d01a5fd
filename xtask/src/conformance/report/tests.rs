use super::*;

const OUTPUT: &str = "\
Running requirements 2026-07-28 (4 scenarios) in parallel...

✗ this line has no counts: at all

=== SUITE SUMMARY ===

✓ tools_call: 2 passed, 0 failed
✗ request-metadata: 7 passed, 0 failed, 1 warnings
✗ auth/dpop: 0 passed, 5 failed
✓ auth/nothing: 0 passed, 0 failed
- auth/elsewhere: skipped

Total: 9 passed, 5 failed, 1 warnings

Not scored for 2026-07-28: 1 scenario(s) run, 1 failing. These do not affect conformance.
  ✗ auth/dpop (extension)
";

fn exception(scenario: &str) -> Exception {
    Exception { scenario: scenario.to_owned(), suites: vec!["2026-07-28".to_owned()], reason: "known".to_owned() }
}

fn run() -> Run {
    Run { suite: "2026-07-28", outcomes: outcomes(OUTPUT) }
}

#[test]
fn outcomes_are_read_from_the_summary() {
    let read: Vec<(String, bool, bool)> =
        outcomes(OUTPUT).into_iter().map(|found| (found.scenario.clone(), found.passes(), found.scored)).collect();
    let expected = [
        ("tools_call", true, true),
        ("request-metadata", false, true),
        ("auth/dpop", false, false),
        ("auth/nothing", false, true),
        ("auth/elsewhere", false, true),
    ];
    assert_eq!(read, expected.map(|(name, passes, scored)| (name.to_owned(), passes, scored)));
}

#[test]
fn every_failure_needs_an_exception() {
    let all = ["request-metadata", "auth/dpop", "auth/nothing", "auth/elsewhere"].map(exception);
    Report::new(vec![run()], &all).verdict().expect("all failures are expected");
    for missing in 0..all.len() {
        let mut some = all.to_vec();
        let missing = some.remove(missing);
        let error = Report::new(vec![run()], &some).verdict().expect_err("one failure is not expected").to_string();
        assert_eq!(error, format!("{} fails in 2026-07-28", missing.scenario));
    }
}

#[test]
fn an_exception_that_passes_or_does_not_exist_is_stale() {
    let expected = ["request-metadata", "auth/dpop", "auth/nothing", "auth/elsewhere"];
    for stale in ["tools_call", "no-such-scenario"] {
        let exceptions: Vec<Exception> = expected.into_iter().chain([stale]).map(exception).collect();
        let error = Report::new(vec![run()], &exceptions).verdict().expect_err("one is stale").to_string();
        assert!(error.starts_with(stale), "{error}");
    }
}

#[test]
fn an_exception_holds_in_its_suites_only() {
    let elsewhere = Exception { suites: vec!["backcompat".to_owned()], ..exception("auth/dpop") };
    let error = Report::new(vec![run()], &[elsewhere]).verdict().expect_err("it is for another suite").to_string();
    assert!(error.contains("auth/dpop fails in 2026-07-28"), "{error}");
}

#[test]
fn the_score_is_last_and_leaves_out_what_is_not_scored() {
    let text = Report::new(vec![run()], &[exception("auth/dpop")]).to_string();
    assert!(text.ends_with("\nclient 1/4\n"), "{text}");
    assert!(text.contains("(excepted)") && text.contains("auth/dpop: known"), "{text}");
}

#[test]
fn exceptions_without_a_reason_are_refused() {
    let good = r#"[{"scenario": "a", "suites": ["backcompat"], "reason": "b"}]"#;
    assert_eq!(Exception::read(good).expect("it is complete").len(), 1);
    for bad in
        ["", "{}", r#"[{"scenario": "a", "suites": ["x"]}]"#, r#"[{"scenario": "a", "suites": "x", "reason": "b"}]"#]
    {
        Exception::read(bad).expect_err(bad);
    }
}

#[test]
fn a_failure_is_judged_by_its_run_alone() {
    let alone = |output: &str| {
        let mut run = run();
        let outcome = run.surprises(&[]).next().expect("one fails");
        outcome.count_again(output);
        (outcome.scenario.clone(), outcome.passes())
    };
    let cases = [
        ("Test Results:\nPassed: 8/8, 0 failed, 0 warnings\n", true),
        ("Passed: 7/8, 1 failed, 0 warnings", false),
        ("Passed: 8/8, 0 failed, 1 warnings", false),
        ("Passed: all", false),
        ("", false),
    ];
    for (output, passes) in cases {
        assert_eq!(alone(output), ("request-metadata".to_owned(), passes), "{output}");
    }
}
