/** Validates values of a request with a plugin's schema; errors name the field. */
import { ServiceError } from "../base/errors.ts";
import type { Schema, SchemaIssue } from "../plugin/kit/kit.ts";

/** @throws ServiceError Validation with `issues` of `{path, message}`, never including a value. */
export async function validated(schema: Schema, value: unknown, where: string): Promise<unknown> {
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) return result.value;
  const issues = result.issues.map((issue) => ({ path: issuePath(where, issue), message: issue.message }));
  throw new ServiceError("Validation", issues.map((issue) => `${issue.path}: ${issue.message}`).join("; "), {
    issues,
  });
}

function issuePath(where: string, issue: SchemaIssue): string {
  const steps = (issue.path ?? []).map((step) => String(typeof step === "object" ? step.key : step));
  return [where, ...steps].join(".");
}
