/** Reads a body of which every member is known; issues name the field and never repeat a value. */
import * as v from "valibot";

export interface ShapeIssue {
  readonly path: string;
  readonly message: string;
}

export type StrictReading<T> = { readonly output: T } | { readonly issues: readonly ShapeIssue[] };

const maxIssues = 20;

export function readStrict<S extends v.GenericSchema>(
  schema: S,
  value: unknown,
): StrictReading<v.InferOutput<S>> {
  const read = v.safeParse(schema, value);
  if (read.success) return { output: read.output };
  const issues = read.issues.slice(0, maxIssues).map((issue) => ({
    path: v.getDotPath(issue) ?? "",
    message:
      issue.received === "undefined"
        ? "is required"
        : issue.message.startsWith("Invalid key: Expected never")
          ? "is not known"
          : issue.message.replace(/,? (but )?received[\s\S]*$/i, ""),
  }));
  return { issues };
}
