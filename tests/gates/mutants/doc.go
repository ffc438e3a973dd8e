// Command mutants proves that the gates' tests notice a changed judgement. It makes every small
// change that reverses one, one at a time, and runs the tests that reach it. It counts the change
// as killed if one of them fails. A change that survives is a fault that no test would notice. It
// runs in the root of the repository, for all folders of health or, with -rooms, for some. `make
// test` tries all changes, because a random sample would find a survivor only in a later run. `make
// mutants` also records them (-write).
//
// All changes are compiled into each package's test binary, each behind a number (package choice).
// So a run costs milliseconds and no build. The packages on disk stay unchanged (go build's
// -overlay). gremlins, go-mutesting and ooze build anew for each change, which would take hours
// here.
//
// The changes are of comparisons, to their opposite and over their boundary; of && and ||, a
// negation, true and false. They are also of the condition of an if, a for or a case, of an outcome
// (Ready, Waiting, Stuck, Skipped), and of a continue. It changes each function of health, and of
// the folders below it, whose result depends only on its arguments. It does not change functions
// that take a context: they observe, wait and connect, in real time, and tests/gates and the
// stories test them. So their own decisions, such as that a request has failed, are not counted. It
// also leaves out constructors, the resources that a program registers (gate.go, pinned.go,
// registered.go), code that only tests use, and report.go, which only prints verdicts. It does not
// change the texts of verdicts, but whether one is returned. A change is tested by its own folder's
// tests, and by those of the folders of health that import it.
//
// equivalents.txt names the changes that no test can notice, each with the reason. It is an error
// if a test notices one, or if one no longer exists. The command exits with 1 if a mutant survives.
// With -write it writes tests/gates/mutants.md and mutants_killed_ratio in bench/results.json.
package main
