/** Validates checks independently of the device, once for all devices of a bulk. */

import { type Check, maxChecks, type RequestedChecks } from "../../api/jobs/checks.ts";
import { isLinear } from "../../base/regex/linear.ts";
import { yieldToEventLoop } from "../../base/time/yield.ts";
import { expressionFault } from "../../checks/expression.ts";
import { isComputed, isTextCheck, needsBefore } from "../../checks/plan.ts";
import type { Issue } from "./validate.ts";

const issuesByChecks = new WeakMap<RequestedChecks, Promise<readonly Issue[]>>();

/** Issue paths are relative to `checks`. */
export function shapeIssues(checks: RequestedChecks): Promise<readonly Issue[]> {
  const before = issuesByChecks.get(checks);
  if (before) return before;
  const issues = findIssues(checks);
  issuesByChecks.set(checks, issues);
  return issues;
}

async function findIssues(checks: RequestedChecks): Promise<Issue[]> {
  const { before, after, settle_seconds } = checks;
  const allChecks = [...listed(before, "before"), ...listed(after, "after")];
  const issues: Issue[] = [];
  if (allChecks.length === 0)
    issues.push({ path: "", message: "has neither `before` nor `after`: give at least one check" });
  // Skips them all: parsing the longest expression takes a tenth of a second.
  if (allChecks.length > maxChecks)
    return [
      {
        path: "",
        message: `has ${allChecks.length} checks: ${maxChecks} at most, before and after together`,
      },
    ];
  if ((settle_seconds ?? 0) > 0 && (after ?? []).length === 0)
    issues.push({ path: "settle_seconds", message: "needs checks in `after`" });
  for (const { check, path, phase } of allChecks) {
    issues.push(...(await checkIssues(check, path, phase)));
    if (check.expression !== undefined) await yieldToEventLoop();
  }
  return issues;
}

function listed(checks: readonly Check[] | null | undefined, phase: "before" | "after") {
  return (checks ?? []).map((check, at) => ({ check, phase, path: `${phase}.${at}` }));
}

const textConditions = ["contains", "not_contains", "matches"] as const;
const valueConditions = ["equals", "at_least", "at_most", "unchanged"] as const;
const conditions = [...textConditions, ...valueConditions];

async function checkIssues(check: Check, path: string, phase: "before" | "after"): Promise<Issue[]> {
  const expectations = conditions.filter((name) => check[name] !== undefined);
  const texts = textConditions.filter((name) => check[name] !== undefined);
  const issue = (field: string, message: string) => [{ path: `${path}${field}`, message }];
  if (expectations.length === 0 && check.expression === undefined)
    return issue("", `has no expectation: give one of ${conditions.join(", ")}`);
  if (texts.length > 1 || (texts.length === 1 && expectations.length > 1))
    return issue("", `${expectations.join(", ")} cannot be combined: write a check for each`);
  if (isTextCheck(check) && isComputed(check))
    return issue("", `${texts[0]} searches the text: it cannot be combined with parse and expression`);
  const bounded = check.at_least !== undefined || check.at_most !== undefined;
  if (check.relative === true && !bounded) return issue(".relative", "needs at_least or at_most");
  if (bounded && !isComputed(check))
    return issue("", "at_least and at_most compare a number: use an expression to get one from the output");
  if (needsBefore(check) && phase === "before")
    return issue("", "compares with the state before the push: move the check to `after`");
  const fault = check.expression === undefined ? undefined : await expressionFault(check.expression);
  if (fault !== undefined) return issue(".expression", fault);
  // Outputs are long, and a thread serves many devices.
  const isSlow = check.matches !== undefined && !isLinear(check.matches, { multiline: true });
  return isSlow ? issue(".matches", notLinear) : [];
}

const notLinear = "cannot be matched in linear time (back references, look-around): simplify it";
