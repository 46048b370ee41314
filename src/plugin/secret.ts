/** `secret(schema)`: what the schema takes is a secret, which the service masks wherever it would show. */
import * as v from "valibot";
import { Secret } from "../base/secret.ts";

export { Secret };

const hidden = (text: string) => new Secret(text);

/** A schema that can be followed by a function: `transform` of zod. */
export interface Transformable<Out> {
  transform(work: (text: string) => Secret): Out;
}

/** The same as `Transformable` where it is called `pipe`: arktype. */
export interface Pipeable<Out> {
  pipe(work: (text: string) => Secret): Out;
}

/**
 * A schema of texts (valibot, zod, arktype) whose value comes out as a `Secret`; `reveal()` gives the text.
 * @throws TypeError for a schema of another library: end it with a step that makes `new Secret(text)`.
 */
export function secret<S extends v.GenericSchema<unknown, string>>(
  schema: S,
): v.SchemaWithPipe<readonly [S, v.TransformAction<string, Secret>]>;
export function secret<Out>(schema: Transformable<Out>): Out;
export function secret<Out>(schema: Pipeable<Out>): Out;
export function secret(
  schema: v.GenericSchema<unknown, string> | Transformable<unknown> | Pipeable<unknown>,
): unknown {
  if ("~run" in schema) return v.pipe(schema, v.transform(hidden));
  if ("transform" in schema) return schema.transform(hidden);
  if ("pipe" in schema) return schema.pipe(hidden);
  throw new TypeError(
    "secret() takes a schema of valibot, zod or arktype; end any other with `new Secret(text)`",
  );
}
