/**
 * Finds support modules of tests that register hooks where they are loaded: files that share a process load them
 * once, so the hook would run with the first of these files only, and clean up under the others.
 */
import { dirname, join, relative } from "node:path";
import typescript from "typescript-5";
import type { SourceFile } from "./source.ts";

const hooks = new Set(["beforeAll", "beforeEach", "afterAll", "afterEach", "onTestFinished", "onTestFailed"]);
/** Vitest loads it anew for each file. */
const setupFiles = new Set(["test/support/times-setup.ts"]);

interface Module {
  readonly path: string;
  /** Its functions with a name, and what each calls. */
  readonly functions: ReadonlyMap<string, readonly string[]>;
  /** What runs where it is loaded. */
  readonly calls: readonly { readonly name: string; readonly line: number }[];
  /** The module and the name there, of the names that it imports. */
  readonly imports: ReadonlyMap<string, { readonly from: string; readonly name: string }>;
}

export function hookFaults(sources: readonly SourceFile[]): string[] {
  const modules = new Map(reachingVitest(sources).map((source) => [source.path, readModule(source)]));
  const registers = (path: string, name: string, seen = new Set<string>()): boolean => {
    const place = `${path} ${name}`;
    if (seen.has(place)) return false;
    seen.add(place);
    const { functions, imports } = modules.get(path) ?? {};
    const imported = imports?.get(name);
    if (imported?.from === "vitest") return hooks.has(imported.name);
    if (imported !== undefined) return registers(imported.from, imported.name, seen);
    return functions?.get(name)?.some((called) => registers(path, called, seen)) ?? false;
  };
  return [...modules.values()]
    .filter(({ path }) => !setupFiles.has(path))
    .flatMap(({ path, calls }) =>
      calls
        .filter(({ name }) => registers(path, name))
        .map(
          ({ name, line }) =>
            `${path}:${line}: ${name}() registers a hook where the module is loaded: let each test file call a function that does`,
        ),
    );
}

/** Support modules that import Vitest, also through others. */
function reachingVitest(sources: readonly SourceFile[]): SourceFile[] {
  const left = new Set(sources.filter(({ path }) => !path.endsWith(".test.ts")));
  const found = new Map<string, SourceFile>();
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const source of left)
      if (source.packages.includes("vitest") || source.files.some((file) => found.has(file))) {
        found.set(source.path, source);
        left.delete(source);
      }
  }
  return [...found.values()];
}

function readModule({ path, text }: SourceFile): Module {
  const file = typescript.createSourceFile(path, text, typescript.ScriptTarget.Latest, true);
  const functions = new Map<string, string[]>();
  const calls: { name: string; line: number }[] = [];
  const imports = new Map<string, { from: string; name: string }>();

  /** @param inside the functions around it with a name; undefined where the module is loaded */
  function visit(node: typescript.Node, inside: string[] | undefined): void {
    if (typescript.isCallExpression(node) && typescript.isIdentifier(node.expression)) {
      const name = node.expression.text;
      if (inside !== undefined) inside.push(name);
      else calls.push({ name, line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1 });
    }
    const own = isFunction(node) && !typescript.isCallExpression(node.parent) ? calledBy(node) : inside;
    typescript.forEachChild(node, (child) => visit(child, own));
  }

  /** A function that is given to a call belongs to what is around it; those of objects are not known by name. */
  function calledBy(node: typescript.Node): string[] {
    const called: string[] = [];
    const name = nameOf(node);
    if (name !== undefined) functions.set(name, called);
    return called;
  }

  for (const statement of file.statements) {
    if (typescript.isImportDeclaration(statement)) {
      for (const [local, one] of namesOf(statement, path)) imports.set(local, one);
    } else visit(statement, undefined);
  }
  return { path, functions, calls, imports };
}

const isFunction = (node: typescript.Node): boolean =>
  typescript.isFunctionLike(node) && !typescript.isCallSignatureDeclaration(node);

function nameOf(node: typescript.Node): string | undefined {
  if (typescript.isFunctionDeclaration(node)) return node.name?.text;
  const { parent } = node;
  return typescript.isVariableDeclaration(parent) && typescript.isIdentifier(parent.name)
    ? parent.name.text
    : undefined;
}

function namesOf(
  statement: typescript.ImportDeclaration,
  path: string,
): [string, { from: string; name: string }][] {
  const { moduleSpecifier, importClause } = statement;
  const named = importClause?.namedBindings;
  if (
    !typescript.isStringLiteral(moduleSpecifier) ||
    named === undefined ||
    !typescript.isNamedImports(named)
  )
    return [];
  const { text } = moduleSpecifier;
  const from = text.startsWith(".") ? relative(".", join(dirname(path), text)) : text;
  return named.elements.map(({ name, propertyName }) => [
    name.text,
    { from, name: (propertyName ?? name).text },
  ]);
}
