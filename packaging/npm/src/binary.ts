import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join, resolve } from 'node:path';
import { ExecExtError } from './errors.js';
import { builtFor } from './format.js';

/** Where the binary was found. */
export interface Binary {
  path: string;
  source: 'option' | 'EXEC_EXT_PATH' | 'package' | 'PATH';
}

/** The environment a binary is looked for in; the process's own by default. */
export interface BinaryLookup {
  /** An explicit path; nothing else is tried if it is given. */
  path?: string | undefined;
  env?: NodeJS.ProcessEnv;
  platform?: string;
  arch?: string;
}

const PLATFORMS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-arm64', 'win32-x64'];

/**
 * resolveBinary finds the extension: the option, then EXEC_EXT_PATH, then the platform package beside this one, then
 * PATH. What is named explicitly must be there: a wrong option or EXEC_EXT_PATH is an error, never skipped.
 */
export function resolveBinary(lookup: BinaryLookup = {}): Binary {
  const env = lookup.env ?? process.env;
  const platform = lookup.platform ?? process.platform;
  const name = platform === 'win32' ? 'exec-ext.exe' : 'exec-ext';
  const tried: string[] = [];
  const target = `${platform}-${lookup.arch ?? process.arch}`;
  if (lookup.path) return named(lookup.path, 'option', target, tried);
  tried.push('the option `binary`: not given');
  if (env.EXEC_EXT_PATH) return named(env.EXEC_EXT_PATH, 'EXEC_EXT_PATH', target, tried);
  tried.push('the environment variable EXEC_EXT_PATH: not set');
  const packaged = fromPackage(target, name, tried);
  if (packaged) return { path: checkProgram(packaged, target, tried), source: 'package' };
  const onPath = fromPath(env, name, tried);
  if (onPath) return { path: checkProgram(onPath, target, tried), source: 'PATH' };
  if (!PLATFORMS.includes(target)) {
    throw new ExecExtError('platform_not_supported', `exec-ext has no binary for ${target}${list(tried)}`, {
      nextStep: 'Build one with Go from the project and name it by EXEC_EXT_PATH',
      tried,
    });
  }
  throw new ExecExtError('binary_not_found', `the exec-ext binary was not found${list(tried)}`, {
    nextStep:
      `Install it with \`npm install exec-ext\` without --omit=optional (it brings @exec-ext/${target}), ` +
      'or set EXEC_EXT_PATH to a binary',
    tried,
  });
}

function named(path: string, source: 'option' | 'EXEC_EXT_PATH', target: string, tried: string[]): Binary {
  const label = source === 'option' ? 'the option `binary`' : source;
  const full = resolve(path);
  if (!isFile(full)) {
    tried.push(`${label}: ${full} is not a file`);
    throw new ExecExtError('binary_not_found', `the exec-ext binary was not found${list(tried)}`, {
      nextStep: `Correct ${label}, or leave it out to use the installed platform package`,
      tried,
    });
  }
  return { path: checkProgram(full, target, tried), source };
}

function fromPackage(target: string, name: string, tried: string[]): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(`@exec-ext/${target}/bin/${name}`);
  } catch {
    tried.push(`the platform package @exec-ext/${target}: not installed`);
    return undefined;
  }
}

function fromPath(env: NodeJS.ProcessEnv, name: string, tried: string[]): string | undefined {
  for (const folder of (env.PATH ?? env.Path ?? '').split(delimiter)) {
    const path = folder && resolve(join(folder, name));
    if (path && isFile(path) && isExecutable(path) && !isLauncher(path)) return path;
  }
  tried.push(`PATH: no ${name} in it (this package's own launcher aside)`);
  return undefined;
}

// npm puts its launchers on the PATH of scripts; a launcher that found itself would start itself for ever.
function isLauncher(path: string): boolean {
  return realpathSync(path).endsWith('exec-ext.mjs');
}

function checkProgram(path: string, target: string, tried: string[]): string {
  if (!isExecutable(path)) {
    throw new ExecExtError('binary_not_executable', `${path} may not be executed`, {
      nextStep: `Make it executable (chmod +x ${path}) and see that its file system is not mounted noexec`,
      tried,
    });
  }
  const built = builtFor(path);
  if (built === undefined || built === target) return path;
  throw new ExecExtError('wrong_platform', `${path} is built for ${built}, this is ${target}`, {
    nextStep: `Install @exec-ext/${target}; a node_modules folder copied from another machine must be installed anew`,
    tried,
  });
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function list(tried: string[]): string {
  return tried.length ? `; tried ${tried.map((t, i) => `(${i + 1}) ${t}`).join(', ')}` : '';
}
