// Writes src/wire.ts from the JSON Schemas of `exec-ext schema`: one type for each message and part of one.
//   EXEC_EXT_PATH=... node scripts/generate-types.mjs
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The text of src/wire.ts as the binary's schemas have it. */
export function generate(binary) {
  const { $defs, protocolVersion } = JSON.parse(execFileSync(binary, ['schema']));
  const types = Object.entries($defs).map(([name, schema]) => declare(name, schema));
  return `// Made from \`exec-ext schema\` by scripts/generate-types.mjs; not to be edited.

/** The one protocol version this client speaks. */
export const PROTOCOL_VERSION = ${protocolVersion};
${types.join('')}`;
}

// Which of its optional members a message has always for a value of its first one, and never for the others.
const CASES = { Announcement: { by: 'action', none: [], append: ['kind', 'message', 'marker'] } };

function declare(name, schema) {
  const members = Object.entries(schema.properties ?? {});
  if (CASES[name]) return `\nexport type ${name} =${cases(schema, members, CASES[name])};\n`;
  if (members.length === 0) return `\nexport type ${name} = ${typeOf(schema)};\n`;
  return `\nexport interface ${name} {\n${fields(schema, members, '  ')}}\n`;
}

function cases(schema, members, { by, ...has }) {
  const special = new Set(Object.values(has).flat());
  const unknown = [...special, by].filter((key) => !schema.properties[key]);
  const values = schema.properties[by]?.enum ?? [];
  if (unknown.length > 0 || values.join() !== Object.keys(has).join()) throw new Error(`the cases by ${by} are not those of the schema: ${values} ${unknown}`);
  return values.map((value) => {
    const required = [...schema.required, ...has[value]];
    const lines = members.map(([key, type]) => {
      if (key === by) return `      ${key}: '${value}';\n`;
      if (special.has(key) && !has[value].includes(key)) return `      ${key}?: never;\n`;
      return `      ${key}${required.includes(key) ? '' : '?'}: ${typeOf(type)};\n`;
    });
    return `\n  | {\n${lines.join('')}    }`;
  }).join('');
}

function fields(schema, members, indent) {
  const required = new Set(schema.required);
  return members.map(([key, value]) => `${indent}${key}${required.has(key) ? '' : '?'}: ${typeOf(value)};\n`).join('');
}

function typeOf(schema) {
  if (schema === true) return 'unknown';
  if (schema.$ref) return schema.$ref.replace('#/$defs/', '');
  if (schema.enum) return schema.enum.map((v) => `'${v}'`).join(' | ');
  const options = schema.oneOf ?? schema.anyOf ?? (Array.isArray(schema.type) && schema.type.map((type) => ({ ...schema, type })));
  if (options) return options.map(typeOf).join(' | ');
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'array':
      return `Array<${typeOf(schema.items ?? true)}>`;
    case 'object':
      if (schema.properties) return `{\n${fields(schema, Object.entries(schema.properties), '    ')}  }`;
      return `Record<string, ${schema.additionalProperties ? typeOf(schema.additionalProperties) : 'unknown'}>`;
    default:
      throw new Error(`generate-types does not know ${JSON.stringify(schema)}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('../src/wire.ts', import.meta.url), generate(process.env.EXEC_EXT_PATH ?? 'exec-ext'));
}
