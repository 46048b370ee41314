/** Finds likely mistakes in a valid template: unused values and states, unreachable rules. */
import type { Rule } from "./rule.ts";
import type { TextFsmTemplate } from "./template.ts";

const EVERY_LINE = new Set(["^", "^.*", "^.*$", "^(.*)", "^(.*)$", "^.*?$"]);
const ARROW_WITHOUT_BLANK =
  /\S->\s*(?:(?:Continue|Next|Error)(?:\.\w+)?|Record|NoRecord|Clear|Clearall|Start|End|EOF)?(?:\s+\w+)?$/;

export function findMistakes({ values, states }: TextFsmTemplate): string[] {
  const mistakes: string[] = [];
  const reached = reachedStates(states);
  for (const [name, rules] of states) {
    if (!reached.has(name)) mistakes.push(`no rule leads to the state '${name}'`);
    for (const { pattern, line } of rules)
      if (ARROW_WITHOUT_BLANK.test(pattern.source))
        mistakes.push(`line ${line}: '->' needs a blank in front, this one belongs to the expression`);
    const at = rules.findIndex(takesEveryLine);
    const behind = at < 0 ? undefined : rules[at + 1];
    if (behind !== undefined)
      mistakes.push(`line ${behind.line}: never tried, the rule of line ${rules[at]?.line} takes every line`);
  }
  const used = [...states].flatMap(([name, rules]) => (reached.has(name) ? rules : []));
  for (const { name } of values)
    if (!used.some(({ pattern }) => pattern.groupIndex.has(name)))
      mistakes.push(`no rule that can be reached uses the value '${name}'`);
  const records = used.some(({ action }) => action.recordOperator === "Record");
  if (states.get("Start")?.length === 0)
    mistakes.push("the state 'Start' has no rules: nothing is ever matched");
  else if (!records && states.has("EOF"))
    mistakes.push("no rule records, and the state 'EOF' records nothing either: there are never any records");
  return mistakes;
}

function takesEveryLine({ pattern, action }: Rule): boolean {
  return action.lineOperator !== "Continue" && EVERY_LINE.has(pattern.source);
}

function reachedStates(states: TextFsmTemplate["states"]): Set<string> {
  const reached = new Set(["Start", "End", "EOF"]);
  const open = ["Start"];
  for (let name = open.pop(); name !== undefined; name = open.pop())
    for (const { action } of states.get(name) ?? [])
      if (action.lineOperator !== "Error" && action.target !== "" && !reached.has(action.target)) {
        reached.add(action.target);
        open.push(action.target);
      }
  return reached;
}
