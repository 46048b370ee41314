/** Paths of the API page's files; the build of the binary replaces them with paths of compressed files. */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

export const pagePaths = {
  packed: false,
  script: require.resolve("swagger-ui-dist/swagger-ui-bundle.js"),
  style: require.resolve("swagger-ui-dist/swagger-ui.css"),
};
