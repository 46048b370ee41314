import { Secret, secret } from "patchbay/plugin";
import * as v from "valibot";
import { expect, test } from "vitest";

test("a schema of valibot stays one, and its value comes out hidden", () => {
  const schema = v.object({
    host: v.string(),
    token: secret(v.pipe(v.string(), v.minLength(4, "too short"))),
  });
  const { host, token } = v.parse(schema, { host: "h", token: "canary" });
  expect([host, String(token), token.reveal()]).toEqual(["h", "[secret]", "canary"]);
  expect(v.safeParse(schema, { host: "h", token: "x" }).issues?.[0]?.message).toBe("too short");
});

test("schemas of zod and arktype are followed by the same step", () => {
  const step = (name: "transform" | "pipe") => ({
    [name]: (work: (text: string) => Secret) => work("canary"),
  });
  for (const schema of [step("transform"), step("pipe")] as {
    transform(work: (text: string) => Secret): Secret;
  }[])
    expect(secret(schema)).toBeInstanceOf(Secret);
});

test("what is no such schema is refused in words", () => {
  expect(() => secret({} as { transform(work: (text: string) => Secret): Secret })).toThrow(
    "new Secret(text)",
  );
});
