/** Files of the page that shows the API; in the compiled binary they are packed already: the build puts its paths here. */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

export const pagePaths = {
  packed: false,
  script: require.resolve("swagger-ui-dist/swagger-ui-bundle.js"),
  style: require.resolve("swagger-ui-dist/swagger-ui.css"),
};
