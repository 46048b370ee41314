import { secret } from "patchbay/plugin";
import * as v from "valibot";
import { expect, test } from "vitest";
import * as z from "zod";

test("secret() keeps a valibot schema and hides its value", () => {
  const schema = v.object({
    host: v.string(),
    token: secret(v.pipe(v.string(), v.minLength(4, "too short"))),
  });
  const { host, token } = v.parse(schema, { host: "h", token: "canary" });
  expect([host, String(token), token.reveal()]).toEqual(["h", "[secret]", "canary"]);
  expect(v.safeParse(schema, { host: "h", token: "x" }).issues?.[0]?.message).toBe("too short");
});

test("secret() rejects a schema of another library with an explanation", () => {
  const foreign = z.string() as unknown as v.GenericSchema<unknown, string>;
  expect(() => secret(foreign)).toThrow("new Secret(text)");
});
