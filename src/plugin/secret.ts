/** `secret(schema)`: values that the schema accepts are secrets, which the service masks in every output. */
import * as v from "valibot";
import { Secret } from "../base/secrets/secret.ts";

export { Secret };

/**
 * A valibot schema for texts whose output is a `Secret`; `reveal()` returns the text. With other libraries, transform
 * the value yourself: `z.string().transform((text) => new Secret(text))`, `type("string").pipe(…)` of arktype.
 * @throws TypeError for a schema of another library
 */
export function secret<S extends v.GenericSchema<unknown, string>>(
  schema: S,
): v.SchemaWithPipe<readonly [S, v.TransformAction<string, Secret>]> {
  if ("~run" in schema)
    return v.pipe(
      schema,
      v.transform((text: string) => new Secret(text)),
    );
  throw new TypeError(
    "secret() needs a valibot schema; with another library, add a step that returns `new Secret(text)`",
  );
}
