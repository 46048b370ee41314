/**
 * Store operations of a single job: transactions, and reads of its row. Counts do not depend on the machine's
 * speed.
 */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Connection } from "../../src/store/libsql/database/connection.ts";
import { type Node, startNode } from "../support/node.ts";
import { query } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

const writes = /insert into jobs|update jobs (?:as j )?set/;

let folder: ReturnType<typeof temporary>;
let node: Node;
/** For each transaction that changes jobs, the first words of its statements. */
let transactions: string[][] = [];
let reads: string[] = [];

/** Counts job statements; lease renewals and polling write as well. */
function counted(link: Connection): Connection {
  return {
    ...link,
    batch(statements) {
      const found = statements.map(({ sql }) => sql).filter((sql) => writes.test(sql));
      const words = found.map((sql) =>
        sql.includes("insert into jobs")
          ? "insert"
          : sql.includes("'running', node = :node")
            ? "claim"
            : sql.includes("sending_at = :at")
              ? "intent"
              : sql.includes("from ending")
                ? "end"
                : "other",
      );
      if (words.some((word) => word !== "other")) transactions.push(words);
      return link.batch(statements);
    },
    read(statement) {
      if (/\bfrom jobs\b.*\bid\b/s.test(statement.sql)) reads.push(statement.sql);
      return link.read(statement);
    },
  };
}

beforeEach(async () => {
  folder = temporary();
  node = await startNode({ directory: folder.path, store: { wrap: counted } });
});
afterEach(async () => {
  await node.stop();
  folder.remove();
});

test("a job takes three transactions: insert with claim, intent, end; a waiting caller reads it once", async () => {
  await node.ended(await node.submit(query("r1", "show first")));
  transactions = [];
  reads = [];
  const record = await node.ended(await node.submit(query("r1", "show a")));
  expect(record.status).toBe("finished");
  expect(transactions).toEqual([["insert", "claim"], ["intent"], ["end"]]);
  expect(reads.filter((sql) => sql.includes("where id"))).toHaveLength(1);
});
