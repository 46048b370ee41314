/** A node shared by the tests of a file, valid requests, and the errors of invalid ones. */
import { afterAll, beforeAll, expect } from "vitest";
import { type Node, type NodeOptions, startNode } from "../support/node.ts";
import { admin, bodyOf } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

export const connection = { host: "r1", device_type: "cisco_ios", username: "u", password: "canary" };
export const base = { driver: "netmiko", connection_args: connection };

/** Runs from before the first test of a file until after its last. */
export function useNode(options: Omit<NodeOptions, "directory"> = {}): () => Node {
  const folder = temporary();
  let node: Node | undefined;
  beforeAll(async () => {
    node = await startNode({ directory: folder.path, ...options });
  });
  afterAll(async () => {
    await node?.stop();
    folder.remove();
  });
  return () => {
    if (node) return node;
    throw new Error("the node of these tests has not begun");
  };
}

export interface Issue {
  path: string;
  message: string;
  received?: string;
}

/** The issues of a refused request; none may repeat a value. */
export async function issuesOf(node: Node, request: object): Promise<Issue[]> {
  const error = await node.jobs.submit(bodyOf(request), admin).catch((reason) => reason);
  expect(error.kind).toBe("Validation");
  expect(JSON.stringify(error.detail)).not.toContain("canary");
  return error.detail.issues;
}

/** Name, request, field with the error (empty: any), pattern of the message. */
export type IssueRow = [string, object, string, RegExp];

export async function expectIssue(node: Node, request: object, path: string, message: RegExp): Promise<void> {
  const issues = await issuesOf(node, request);
  const found = issues.find((issue) => issue.path === path || path === "");
  expect(found, JSON.stringify(issues)).toBeDefined();
  expect(found?.message).toMatch(message);
}
