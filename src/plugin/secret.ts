/** `secret(schema)`: what the schema takes is a secret, which the service masks wherever it would show. */
import * as v from "valibot";
import { Secret } from "../base/secret.ts";

export { Secret };

/**
 * A schema of valibot for texts whose value comes out as a `Secret`; `reveal()` gives the text. With other libraries end
 * the schema yourself: `z.string().transform((text) => new Secret(text))`, `type("string").pipe(…)` of arktype.
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
    "secret() takes a schema of valibot; end one of another library with a step that makes `new Secret(text)`",
  );
}
