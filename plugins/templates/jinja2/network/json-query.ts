/** Filters that Ansible takes from elsewhere: `json_query` (JMESPath), and hashes. */

import { createHash, getHashes } from "node:crypto";
import jmespath from "jmespath";
import { isText, PyDict, PyFloat, PyTuple, textOf, Undefined, type Value } from "../../python/index.ts";
import { define, type FilterEntries, filterError, plainText } from "../filters/define.ts";

/**
 * Values as JMESPath takes them. A list or dictionary that a query picks stays the same value; a single float that is
 * a whole number becomes an int.
 */
class Plain {
  private readonly origins = new Map<object, Value>();

  of(value: Value): unknown {
    if (value instanceof Undefined) return value.fail();
    if (value instanceof PyFloat) return value.value;
    if (isText(value)) return textOf(value);
    if (value instanceof PyDict) {
      const members = value.entries().map(([key, member]) => [String(key), this.of(member)]);
      return this.kept(Object.fromEntries(members), value);
    }
    if (value instanceof PyTuple)
      return this.kept(
        value.items.map((item) => this.of(item)),
        value,
      );
    return Array.isArray(value)
      ? this.kept(
          value.map((item) => this.of(item)),
          value,
        )
      : value;
  }

  back(found: unknown): Value {
    if (found === undefined || found === null) return null;
    if (typeof found === "number") return Number.isSafeInteger(found) ? found : new PyFloat(found);
    if (typeof found === "string" || typeof found === "boolean" || typeof found === "bigint") return found;
    if (typeof found !== "object") throw filterError("the query gives a function");
    const origin = this.origins.get(found);
    if (origin !== undefined) return origin;
    if (Array.isArray(found)) return found.map((item) => this.back(item));
    return PyDict.from(
      Object.entries(found).map(([name, member]): [Value, Value] => [name, this.back(member)]),
    );
  }

  private kept(plain: object, value: Value): object {
    this.origins.set(plain, value);
    return plain;
  }
}

function query(value: Value, expression: string): Value {
  const plain = new Plain();
  const data = plain.of(value);
  try {
    return plain.back(jmespath.search(data, expression));
  } catch (error) {
    throw filterError(`JMESPath: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The names that `node:crypto` and Python's hashlib share. */
function digest(text: string, kind: string): string {
  const name = kind.toLowerCase().replaceAll("_", "-");
  if (!getHashes().some((known) => known.toLowerCase() === name))
    throw filterError(`there is no hash '${kind}': use sha1, sha256, sha512 or md5`);
  return createHash(name).update(text).digest("hex");
}

export const queryFilters: FilterEntries = [
  define("json_query", "defined", "expr: text", query),
  define("hash", plainText, "hashtype: text = 'sha1'", digest),
  define("md5", plainText, "", (text) => digest(text, "md5")),
  define("sha1 checksum", plainText, "", (text) => digest(text, "sha1")),
].flat();
