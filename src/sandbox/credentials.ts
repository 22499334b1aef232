import { join } from 'node:path';

// Below the home directory: what opens other machines, clouds, registries and accounts.
const IN_HOME = [
  '.ssh',
  '.gnupg',
  '.netrc',
  '_netrc',
  '.git-credentials',
  '.config/git/credentials',
  // Its socket gives out what it keeps.
  '.cache/git/credential',
  '.git-credential-cache',
  '.config/gh',
  '.config/glab-cli',
  '.config/hub',
  '.aws',
  '.azure',
  '.config/gcloud',
  '.config/doctl',
  '.config/rclone',
  '.oci',
  '.bluemix',
  '.boto',
  '.s3cfg',
  '.kube',
  '.docker',
  '.config/containers/auth.json',
  '.config/helm',
  '.terraform.d',
  '.terraformrc',
  '.pulumi/credentials.json',
  '.vault-token',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.bunfig.toml',
  '.pypirc',
  '.config/uv/credentials',
  '.local/share/uv/credentials',
  '.pip/pip.conf',
  '.config/pip',
  '.config/pnpm/rc',
  '.config/pnpm/auth.ini',
  '.config/pypoetry/auth.toml',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.local/share/gem/credentials',
  '.bundle/config',
  '.m2/settings.xml',
  '.m2/settings-security.xml',
  '.gradle/gradle.properties',
  '.ivy2/.credentials',
  '.sbt/.credentials',
  '.nuget/NuGet/NuGet.Config',
  '.composer/auth.json',
  '.config/composer/auth.json',
  '.hex',
  '.pgpass',
  '.my.cnf',
  '.password-store',
  '.config/op',
  '.local/share/keyrings',
  '.codex/auth.json',
  '.claude/.credentials.json',
  'Library/Keychains',
  'Library/Application Support/gcloud',
] as const;

// Variables by which a person may have moved one of them.
const IN_ENVIRONMENT = [
  'AWS_SHARED_CREDENTIALS_FILE',
  'AWS_CONFIG_FILE',
  'AZURE_CONFIG_DIR',
  'CLOUDSDK_CONFIG',
  'DOCKER_CONFIG',
  'GH_CONFIG_DIR',
  'GNUPGHOME',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'KUBECONFIG',
  'NETRC',
  'NPM_CONFIG_USERCONFIG',
  'PIP_CONFIG_FILE',
  'SSH_AUTH_SOCK',
] as const;

/**
 * Where the credentials of the person lie who owns `home`: absolute paths of files and directories,
 * there or not. None of it is anything a command of a model needs.
 */
export function credentialPaths(home: string, env: NodeJS.ProcessEnv): string[] {
  const moved = IN_ENVIRONMENT.flatMap((name) => (env[name] ?? '').split(':'));
  const given = moved.filter((path) => path.startsWith('/') && path !== '/');
  const config = env['XDG_CONFIG_HOME'] ?? '';
  const inConfig = config.startsWith('/')
    ? IN_HOME.filter((path) => path.startsWith('.config/')).map((path) =>
        join(config, path.slice('.config/'.length)),
      )
    : [];
  return [...IN_HOME.map((path) => join(home, path)), ...inConfig, ...given];
}
