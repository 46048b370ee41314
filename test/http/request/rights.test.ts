/** A route that needs a right beside the scope: refused before its handler, and described. */

import * as v from "valibot";
import { expect, test } from "vitest";
import { scopes } from "../../../src/auth/port.ts";
import { documentOf } from "../../../src/http/openapi/document.ts";
import { route } from "../../../src/http/route.ts";
import { callerWith, createApp } from "../doubles/fixtures.ts";

const secrets = route({
  id: "readSecrets",
  method: "GET",
  path: "/secrets/:name",
  scope: "operate",
  right: "history_secrets",
  summary: "Read",
  answer: v.string(),
  handle({ caller }) {
    handled.push(caller.scope);
    return "text";
  },
});
const handled: string[] = [];

/** The key is `<scope> <right>`. */
const { send } = createApp(
  {},
  {
    async authenticate(key) {
      const scope = scopes.find((one) => key.startsWith(one));
      return scope && { ...callerWith(scope), rights: key.split(" ").slice(1) };
    },
  },
  [secrets],
);

test("a route refuses a key without its scope first, then one without its right", async () => {
  const answers: unknown[] = [];
  for (const key of scopes.flatMap((scope) => [scope, `${scope} history`, `${scope} history_secrets`])) {
    const { status, body } = await send("/secrets/r1?unknown=1", { key });
    answers.push([key, status, /(?:"(?=\w+" is needed)|right ")(\w+)"/.exec(body.message)?.[1]]);
  }
  expect(answers).toEqual([
    ["read", 403, "operate"],
    ["read history", 403, "operate"],
    ["read history_secrets", 403, "operate"],
    ["agent", 403, "operate"],
    ["agent history", 403, "operate"],
    ["agent history_secrets", 403, "operate"],
    ["operate", 403, "history_secrets"],
    ["operate history", 403, "history_secrets"],
    ["operate history_secrets", 422, undefined],
    ["admin", 403, "history_secrets"],
    ["admin history", 403, "history_secrets"],
    ["admin history_secrets", 422, undefined],
  ]);
  expect(handled).toEqual([]);
  expect((await send("/secrets/r1", { key: "admin history_secrets" })).body.data).toBe("text");
  expect(handled).toEqual(["admin"]);
});

test("the API description names the right", () => {
  const plugins = { drivers: [], webhooks: [], credentials: [], formats: [], sources: [] };
  const settings = { apiVersion: "1", keyInQuery: false, pluginSchemas: () => plugins };
  expect(documentOf(settings, plugins, [secrets], false)).toMatchObject({
    paths: {
      "/secrets/{name}": {
        get: {
          description: "Needs the right `history_secrets` beside the scope.",
          "x-right": "history_secrets",
        },
      },
    },
  });
});
