import drive from '../drive.cjs';
import {subscribe} from './router.mjs';

drive(i => subscribe('chat', i));
