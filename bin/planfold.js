#!/usr/bin/env node
require('../dist/planfold.cjs');
