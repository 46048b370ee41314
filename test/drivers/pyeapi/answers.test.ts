/** eAPI responses of real switches, including older ones that lack some fields. */
import { describe, expect, test } from "vitest";
import { resultsOf } from "../../../plugins/drivers/shared/eos/eapi.ts";

const answered = (body: object) =>
  resultsOf({ status: 200, headers: {}, body: JSON.stringify({ jsonrpc: "2.0", id: "x", ...body }) });
const message = "CLI command 3 of 4 'show bgp' failed: could not run command";

describe("a refused command list in eAPI", () => {
  test("names the command by the results before it", () => {
    const data = [{}, { version: "4.31" }, { errors: ["BGP inactive", "again"] }];
    expect(answered({ error: { code: 1000, message, data } })).toEqual({
      results: [{}, { version: "4.31" }],
      refusal: {
        code: 1000,
        at: 2,
        text: "BGP inactive; again",
        results: [{}, { version: "4.31" }],
      },
    });
  });

  test.each([{}, { data: null }, { data: [] }])("names the command by the message alone, with %j", (more) => {
    expect(answered({ error: { code: 1000, message, ...more } })).toEqual({
      results: [],
      refusal: { code: 1000, at: 2, text: message, results: [] },
    });
  });

  test("names its first command if nothing else is known", () => {
    expect(answered({ error: { code: 1001, message: "internal error" } }).refusal).toMatchObject({ at: 0 });
  });
});
