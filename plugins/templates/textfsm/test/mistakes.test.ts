/** Mistakes in a valid TextFSM template cause warnings; errors of invalid ones include suggestions. */
import { expect, test } from "vitest";
import { emptyLibrary, kitOf } from "../../ttp/test/support.ts";
import { createEngine } from "../index.ts";

const engine = createEngine(kitOf({ library: () => emptyLibrary }));
const warningsOf = (source: string) => engine.compile(source, {}).warnings;
const START = "Start\n  ^interface ${A} -> Record\n";

test.each([
  [`Value A (\\S+)\nValue B (\\S+)\n\n${START}`, ["no rule that can be reached uses the value 'B'"]],
  [`Value A (\\S+)\n\n${START}\nOther\n  ^x\n`, ["no rule leads to the state 'Other'"]],
  [
    "Value A (\\S+)\n\nStart\n  ^.*\n  ^a ${A} -> Record\n",
    ["line 5: never tried, the rule of line 4 takes every line"],
  ],
  [
    "Value A (\\S+)\n\nStart\n  ^a ${A}-> Record\n",
    ["line 4: '->' needs a blank in front, this one belongs to the expression"],
  ],
  [
    "Value A (\\S+)\n\nStart\n  ^a ${A}\n\nEOF\n",
    ["no rule records, and the state 'EOF' records nothing either: there are never any records"],
  ],
  [
    "Value A (\\S+)\n\nStart\n",
    ["no rule that can be reached uses the value 'A'", expect.stringContaining("'Start' has no rules")],
  ],
  [`Value A (\\S+)\n\n${START}  ^. -> Error\n`, []],
  ["Value A (\\S+)\n\nStart\n  ^.* -> Continue\n  ^a ${A} -> Record Done\n\nDone\n  ^b\n", []],
])("a mistake in a valid template causes a warning: %j", (source, warnings) => {
  expect(warningsOf(source)).toEqual(warnings);
});

test.each([
  [`Value Requird A (\\S+)\n\n${START}`, 'Unknown option "Requird" Line 1. Did you mean Required?'],
  ["Value INTERFACE (\\S+)\n\nStart\n  ^a ${INTREFACE}\n", "Did you mean INTERFACE?"],
  [
    `Value A (\\S+)\n\n${START}  ^b -> Don\n\nDone\n  ^c\n`,
    "State 'Don' not found, referenced in state 'Start': did you mean Done?",
  ],
])("an invalid template is rejected with a suggestion: %j", (source, message) => {
  expect(() => warningsOf(source)).toThrow(message);
});
