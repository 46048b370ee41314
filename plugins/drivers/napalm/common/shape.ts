/** Validates device answers against schemas; an error names the place that does not fit. */
import { PluginError } from "patchbay/plugin";
import * as v from "valibot";

/** @throws PluginError ParseError that names the place in the answer */
export function shaped<const Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
): v.InferOutput<Schema> {
  const read = v.safeParse(schema, value);
  if (read.success) return read.output;
  const [issue] = read.issues;
  const place = v.getDotPath(issue) ?? "";
  throw new PluginError(
    "ParseError",
    `The device's response has an unknown structure${place === "" ? "" : `, at ${place}`}: ${issue.message}`,
  );
}
