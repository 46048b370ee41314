import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import { RawJson, rawMember, readJson, withMembers } from "../../../src/base/json/json.ts";
import { jsonPieces, jsonTextPieces, jsonWithRaw } from "../../../src/base/json/json-pieces.ts";
import { createRawMembers } from "../../../src/base/json/raw-members.ts";

describe("readJson", () => {
  test("gives the result of JSON.parse", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        if (text.includes("__proto__")) return;
        expect(readJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test("throws only a ServiceError, for any text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('"', "\\", "{", "}", "[", "]", ":", ",", "a", "1", " ") }),
        (text) => {
          try {
            readJson(text);
          } catch (error) {
            expect(error).toBeInstanceOf(ServiceError);
          }
        },
      ),
    );
  });

  test.each(['{"__proto__": {"a": 1}}', '{"a": [{"__proto__" : 1}]}', '{"\\u005f_proto__": 1}'])(
    "rejects the key __proto__ in %s",
    (text) => {
      expect(() => readJson(text)).toThrow(expect.objectContaining({ kind: "Validation" }));
    },
  );

  test("accepts __proto__ as a value", () => {
    expect(readJson('{"a": "__proto__"}')).toEqual({ a: "__proto__" });
  });

  test("rejects deep nesting before parsing", () => {
    expect(() => readJson("[".repeat(200_000))).toThrow(expect.objectContaining({ kind: "Validation" }));
    expect(readJson("[".repeat(64) + "]".repeat(64))).toBeDefined();
  });

  test("does not quote invalid JSON in its error", () => {
    try {
      readJson('{"password": "hunter2-canary" oops}');
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ kind: "BadRequest" });
      expect(String(error)).not.toContain("canary");
    }
  });
});

describe("rawMember", () => {
  test("keeps key order and number formats", () => {
    const text = '{"name": "x", "context" : {"20": 1.0, "10": 2e3, "a": "}\\""} , "z": 1}';
    expect(rawMember(text, ["context"])).toBe('{"20": 1.0, "10": 2e3, "a": "}\\""}');
    expect(rawMember(text, ["context", "20"])).toBe("1.0");
  });

  test("walks lists, takes the last of equal keys, and returns undefined if absent", () => {
    const text = '[{"config": [1, {"a": []}]}, {"config": 1, "config": {"b": 2}}]';
    expect(rawMember(text, [0, "config"])).toBe('[1, {"a": []}]');
    expect(rawMember(text, [1, "config"])).toBe('{"b": 2}');
    expect(rawMember(text, [2, "config"])).toBeUndefined();
    expect(rawMember(text, [0, "config", "a"])).toBeUndefined();
  });

  test("agrees with JSON.parse on every member", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (value) => {
        const text = JSON.stringify(value, null, 1);
        for (const key of Object.keys(value)) {
          expect(JSON.parse(rawMember(text, [key]) ?? "")).toEqual(JSON.parse(JSON.stringify(value[key])));
        }
      }),
    );
  });
});

test("chunks of a record add up to its JSON, without splitting a surrogate pair", () => {
  const record = fc.record({
    id: fc.string(),
    result: fc.string({ unit: "binary", maxLength: 400 }),
    missing: fc.constant(undefined),
    more: fc.jsonValue(),
  });
  fc.assert(
    fc.property(record, fc.integer({ min: 1, max: 30 }), ({ result, ...others }, most) => {
      const object = { ...others, result: new RawJson(JSON.stringify({ result })), warnings: ["w"] };
      const pieces = [...jsonPieces(object, most)];
      const sent = Buffer.concat(pieces.map((piece) => Buffer.from(piece, "utf8"))).toString("utf8");
      expect(sent).toBe(Buffer.from(jsonWithRaw(object), "utf8").toString("utf8"));
      expect(JSON.parse(sent)).toEqual(
        JSON.parse(JSON.stringify({ ...others, result: { result }, warnings: ["w"] })),
      );
    }),
  );
});

test("chunks of a string add up to its JSON, for any chunk size", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 5 }), (text, most) => {
      expect([...jsonTextPieces(text, most)].join("")).toBe(JSON.stringify(text));
    }),
  );
  const halves = "\ud83d\ud83d\ude00\ude00";
  for (let most = 1; most < 5; most++)
    expect([...jsonTextPieces(halves, most)].join("")).toBe(JSON.stringify(halves));
});

describe("withMembers", () => {
  test("replaces members in place and leaves everything else unchanged", () => {
    const text = ' {"20": 1.0, "10": [2e3, {"a": "x"}, ["y", 3]], "a": 1, "a": {"b": 5}} ';
    const members = [
      { path: ["a", "b"], json: "null" },
      { path: ["10", 1, "a"], json: '"z"' },
      { path: ["10", 2, 0], json: "7" },
      { path: ["none", 1], json: "8" },
      { path: ["20", "x"], json: "9" },
    ];
    expect(withMembers(text, members)).toBe(
      ' {"20": 1.0, "10": [2e3, {"a": "z"}, [7, 3]], "a": 1, "a": {"b": null}} ',
    );
    expect(withMembers(text, [])).toBe(text);
  });

  test("replaces 20,000 members of a long text in linear time", () => {
    const rows = Array.from({ length: 20_000 }, (_, n) => ({ password: `secret ${n}` }));
    const text = JSON.stringify({ filler: "x".repeat(10_000_000), rows });
    const members = rows.map((_, n) => ({ path: ["rows", n, "password"], json: "null" }));
    // Searching for them one by one would take minutes.
    expect(withMembers(text, members)).not.toContain("secret");
  });
});

describe("reading many members of one text", () => {
  test("gives the same results as reading them one by one", () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const steps = fc.array(fc.oneof(fc.nat(4), fc.constantFrom("a", "b", "")), { maxLength: 3 });
    const members = fc.tuple(fc.constantFrom('"a"', '"b"', '"\\u0061"', '""'), value);
    fc.assert(
      fc.property(fc.array(members, { maxLength: 5 }), value, fc.array(steps), (pairs, list, paths) => {
        const object = `{${pairs.map(([name, member]) => `${name}: ${JSON.stringify(member)}`).join(" , ")}}`;
        for (const text of [object, ` [${object}, ${JSON.stringify(list)} ,[]] `]) {
          const raw = createRawMembers(text);
          for (const path of [...paths, ...paths]) expect(raw(path)).toBe(rawMember(text, path));
        }
      }),
    );
  });

  test("reads each character once or twice, however many devices there are", () => {
    const device = { host: "10.1.0.1", config: { vlans: [1, 2, 3], name: "x{}" } };
    const devices = Array.from({ length: 500 }, () => device);
    const text = JSON.stringify({ devices, config: { shared: true }, driver: "netmiko" });
    const looks = charactersRead(() => {
      const raw = createRawMembers(text);
      for (const index of devices.keys()) {
        expect(raw(["devices", index, "config"])).toBe(JSON.stringify(device.config));
        expect(raw(["config"])).toBe('{"shared":true}');
      }
    });
    expect(looks).toBeLessThan(8 * text.length);
    expect(charactersRead(() => rawMember(text, ["devices", 499, "config"]))).toBeGreaterThan(100);
  });
});

function charactersRead(work: () => void): number {
  const { charCodeAt } = String.prototype;
  let count = 0;
  String.prototype.charCodeAt = function (this: string, at: number) {
    count++;
    return charCodeAt.call(this, at);
  };
  try {
    work();
  } finally {
    String.prototype.charCodeAt = charCodeAt;
  }
  return count;
}
