/** Answers of devices are read by schemas; what does not fit is told with its place. */
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
    `The device answered with another structure than is known${place === "" ? "" : `, at ${place}`}: ${issue.message}`,
  );
}
