// The rules for static/js/ and their tests. Run from the root of the repository, see .ci/run.

import js from "@eslint/js";
import globals from "globals";

const strict = {
  "consistent-return": "error",
  "curly": ["error", "multi-line"],
  "default-case-last": "error",
  "eqeqeq": "error",
  "max-lines": ["error", { max: 250, skipBlankLines: true, skipComments: true }],
  "max-lines-per-function": ["error", 50],
  "complexity": ["error", 12],
  "no-alert": "error",
  "no-console": "error",
  "no-eval": "error",
  "no-implicit-coercion": "error",
  "no-implicit-globals": "error",
  "no-implied-eval": "error",
  "no-param-reassign": "error",
  "no-shadow": "error",
  "no-unused-vars": "error",
  "no-use-before-define": ["error", { functions: false, classes: false, variables: false }],
  "no-var": "error",
  "object-shorthand": "error",
  "prefer-const": "error",
  "prefer-template": "error",
};

export default [
  { ignores: ["**/node_modules/"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  { rules: strict, languageOptions: { ecmaVersion: 2024, sourceType: "module" } },
  { files: ["static/**/*.js"], languageOptions: { globals: globals.browser } },
  { files: ["tests/js/**/*.js"], languageOptions: { globals: globals.node } },
  { files: ["tests/js/firefox_jobs.js"], languageOptions: { globals: { ...globals.node, ...globals.browser } } },
];
