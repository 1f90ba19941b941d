"""The syntax tree of a function, with control flow as calls of _autograph_runtime."""

import ast
import collections
import copy
import functools
import inspect
import textwrap

RUNTIME = "reel_autograph__"
_PREFIX = "reel_"
_NOT_CALLED = {
    "super",
    "locals",
    "globals",
    "vars",
    "eval",
    "exec",
    "dir",
    "print",
    "isinstance",
    "issubclass",
    "type",
    "getattr",
    "setattr",
    "hasattr",
    "zip",
    "enumerate",
    "list",
    "tuple",
    "dict",
    "set",
    "bool",
    "str",
    "repr",
    "id",
    "iter",
    "next",
    "callable",
}
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def rewrite(function):
    """The code object of the converted function; None if there is nothing to convert, or no source."""
    definition = _definition(function)
    if definition is None:
        return None
    convert(definition)
    factory = ast.parse(f"def factory({', '.join((RUNTIME, *function.__code__.co_freevars))}):\n    pass\n")
    known = definition.name in function.__code__.co_freevars
    factory.body[0].body = ([] if known else [ast.Global([definition.name])]) + [definition]  # it may call itself
    ast.fix_missing_locations(factory)
    module = compile(factory, function.__code__.co_filename, "exec")
    outer = next(c for c in module.co_consts if inspect.iscode(c))
    code = next(c for c in outer.co_consts if inspect.iscode(c) and c.co_name == definition.name)
    return code.replace(co_name=function.__code__.co_name)


def text_of(function):
    """The source of the converted function; None if there is none."""
    definition = _definition(function)
    if definition is None:
        return None
    convert(definition)
    return ast.unparse(ast.fix_missing_locations(definition)) + "\n"


def convert(definition):
    """Rewrites a function's definition in place."""
    definition.decorator_list = []
    for argument in ast.walk(definition.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    definition.args.defaults = [ast.Constant(None) for _ in definition.args.defaults]
    definition.args.kw_defaults = [d and ast.Constant(None) for d in definition.args.kw_defaults]
    definition.returns = None
    _Function(definition).run()


def _definition(function):
    """The syntax tree of a function or lambda, at its lines; None if it has no source or stays as it is."""
    if function.__code__.co_name == "<lambda>":
        return _lambda_definition(function.__code__, function)
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError, IndentationError):
        return None
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef) or definition.name != function.__code__.co_name:
        return None
    if any(isinstance(n, (ast.Yield, ast.YieldFrom, ast.Await)) for n in _walk(definition.body)):
        return None
    ast.increment_lineno(tree, function.__code__.co_firstlineno - 1)
    return definition


@functools.lru_cache(16)
def _lambdas(source):
    """The lambdas of a file, by their lines."""
    found = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Lambda):
            found.setdefault(node.lineno, []).append(node)
    return found


def _lambda_definition(code, function):
    """A lambda as a definition: the one at the place of the code."""
    try:
        nodes = _lambdas("".join(inspect.findsource(function)[0])).get(code.co_firstlineno, [])
    except (OSError, TypeError, SyntaxError, ValueError, RecursionError):
        return None
    places = [(line, column) for line, _, column, _ in code.co_positions() if line and column]
    nodes = [
        n
        for n in nodes
        if all((n.lineno, n.col_offset) <= at <= (n.end_lineno, n.end_col_offset) for at in places)
        and [a.arg for a in n.args.posonlyargs + n.args.args] == list(code.co_varnames[: code.co_argcount])
    ]
    kinds = (ast.IfExp, ast.BoolOp, ast.Not, ast.Call, ast.Compare)
    if not nodes or not any(isinstance(x, kinds) for x in ast.walk(nodes[-1].body)):
        return None
    node = copy.deepcopy(nodes[-1])  # of several the innermost one that holds all places
    definition = ast.parse("def reel_lambda():\n    return None").body[0]
    definition.args, definition.body[0].value = node.args, node.body
    return _at(definition, node)


def _walk(statements):
    """All nodes, without those of inner functions and classes."""
    todo = list(statements)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, _SCOPES):
            todo.extend(ast.iter_child_nodes(node))


def _has(statements, kinds, loops=True):
    """Whether a statement of these kinds is inside; without `loops`, not counting those of inner loops."""
    for s in statements:
        if isinstance(s, kinds):
            return True
        if isinstance(s, _SCOPES) or not loops and isinstance(s, (ast.For, ast.While)):
            continue
        if any(_has(block, kinds, loops) for block in _blocks(s)):
            return True
    return False


def _blocks(statement):
    """The lists of statements inside a statement."""
    for field in ("body", "orelse", "finalbody"):
        block = getattr(statement, field, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield block
    for handler in getattr(statement, "handlers", ()):
        yield handler.body
    for case in getattr(statement, "cases", ()):
        yield case.body


def _map_blocks(statement, f):
    """Replaces each list of statements inside by f of it."""
    for field in ("body", "orelse", "finalbody"):
        block = getattr(statement, field, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            setattr(statement, field, f(block))
    for part in [*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]:
        part.body = f(part.body)


def _stored(statements):
    """Names that statements assign, in order, without comprehensions' own."""
    names = {}
    todo = list(reversed(statements))
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            names[node.name] = True
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names[node.id] = True
        elif isinstance(node, ast.alias):
            names[(node.asname or node.name).split(".")[0]] = True
        if not isinstance(node, _SCOPES + _COMPREHENSIONS):
            todo.extend(reversed(list(ast.iter_child_nodes(node))))
    return list(names)


def _places(statements, stored):
    """Attributes and items that statements assign, of objects and by keys that they do not assign: self.total, d["a"]."""
    parts = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.expr_context)
    found = {}
    for node in _walk(statements):
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            inner = list(ast.walk(node))
            if all(isinstance(n, parts) and not (isinstance(n, ast.Name) and n.id in stored) for n in inner):
                found[ast.unparse(node)] = True
    return list(found)


def _mark_live(statements):
    """Gives each loop the names that are read outside of it."""

    def reads(nodes):
        nodes = [n for s in nodes for n in ast.walk(s)]
        updated = [n.target for n in nodes if isinstance(n, ast.AugAssign)]
        names = [n for n in nodes if isinstance(getattr(n, "ctx", None), ast.Load)] + updated
        return collections.Counter(n.id for n in names if isinstance(n, ast.Name))

    whole = reads(statements)
    for node in list(_walk(statements)):
        if isinstance(node, (ast.For, ast.While)):
            node.reel_live = set(whole - reads([node]))


def _parse(text, at):
    """Statements of a text, all at the place of a node."""
    body = ast.parse(textwrap.dedent(text)).body
    for top in body:
        for node in ast.walk(top):
            _at(node, at)
    return body


def _at(node, place):
    """The node, at the first line of another: a call that spans lines would be reported at the last one."""
    if hasattr(place, "lineno"):
        node.lineno = node.end_lineno = place.lineno
        node.col_offset = node.end_col_offset = place.col_offset
    return node


def _expression(text, at):
    return _parse(text, at)[0].value


class _Function:
    """Rewrites one function definition."""

    def __init__(self, definition):
        self.definition = definition
        self.count = 0
        a = definition.args
        self.parameters = [p.arg for p in a.posonlyargs + a.args + a.kwonlyargs + [x for x in (a.vararg, a.kwarg) if x]]
        nodes = list(_walk(definition.body))
        self.globals = {n for s in nodes if isinstance(s, ast.Global) for n in s.names}
        self.nonlocals = {n for s in nodes if isinstance(s, ast.Nonlocal) for n in s.names}
        self.tracked = {}

    def name(self, stem):
        self.count += 1
        return f"{_PREFIX}{stem}_{self.count}"

    def run(self):
        d = self.definition
        body = self.lower_returns(d.body, False)
        body = self.lower_jumps(body)
        body = self.close(body, True)
        _mark_live(body)
        body = self.convert_block(body)
        body = [_Expressions(self).visit(s) for s in body]
        at = d.body[0]
        start = [
            s
            for name in self.tracked
            if name not in self.parameters
            for s in _parse(f"{name} = {RUNTIME}.Undefined({name!r})", at)
        ]
        declared = [s for s in body if isinstance(s, (ast.Global, ast.Nonlocal))]
        d.body = declared + start + [s for s in body if s not in declared]

    # --- return inside loops: a value, a flag and a break ---

    def lower_returns(self, block, in_loop):
        out = []
        for s in block:
            if isinstance(s, ast.Return) and in_loop:
                out += [_at(ast.Assign([_at(ast.Name(in_loop[0], ast.Store()), s)], s.value or ast.Constant(None)), s)]
                out += _parse(f"{in_loop[1]} = True", s) + [_at(ast.Break(), s)]
            elif isinstance(s, (ast.For, ast.While)) and _has(s.body, ast.Return):
                names = (self.name("result"), self.name("returned"))
                s.body = self.lower_returns(s.body, names)
                s.orelse = self.lower_returns(s.orelse, in_loop)
                after = _parse(f"if {names[1]}:\n    return {names[0]}", s)
                out += _parse(f"{names[1]} = False", s) + [s] + self.lower_returns(after, in_loop)
            else:
                if not isinstance(s, _SCOPES):
                    _map_blocks(s, lambda b: self.lower_returns(b, in_loop))
                out.append(s)
        return out

    # --- break and continue: flags, and `if`s around what follows ---

    def lower_jumps(self, block):
        out = []
        for s in block:
            if not isinstance(s, _SCOPES):
                _map_blocks(s, self.lower_jumps)
            if isinstance(s, ast.While) and any(isinstance(n, ast.NamedExpr) for n in ast.walk(s.test)):
                stop = _parse("if not None:\n    break", s)
                stop[0].test.operand, stop[0].body = s.test, [*s.orelse, *stop[0].body]
                s.test, s.body, s.orelse = _at(ast.Constant(True), s), stop + s.body, []
            if isinstance(s, (ast.For, ast.While)):
                out += self.lower_loop(s)
            else:
                out.append(s)
        return out

    def lower_loop(self, loop):
        before, after = [], []
        if _has(loop.body, ast.Continue, False):
            flag = self.name("continued")
            loop.body = _parse(f"{flag} = False", loop) + self.guard(loop.body, ast.Continue, flag)
        flag = None
        if _has(loop.body, ast.Break, False):
            flag = self.name("broken")
            before = _parse(f"{flag} = False", loop)
            loop.body = self.guard(loop.body, ast.Break, flag)
            loop.reel_broken = flag
        if loop.orelse:
            after = loop.orelse
            if flag:
                test = _parse(f"if not {flag}:\n    pass", loop)
                test[0].body = loop.orelse
                after = test
            loop.orelse = []
        return before + [loop] + after

    def guard(self, block, kind, flag):
        """The block with jumps as flags; what follows one that may have been set runs only if it was not."""
        out = []
        for i, s in enumerate(block):
            if isinstance(s, kind):
                return out + _parse(f"{flag} = True", s)
            if isinstance(s, _SCOPES) or isinstance(s, (ast.For, ast.While)) or not _has([s], kind, False):
                out.append(s)
                continue
            _map_blocks(s, lambda b: self.guard(b, kind, flag))
            out.append(s)
            if block[i + 1 :]:
                test = _parse(f"if not {flag}:\n    pass", block[i + 1])
                test[0].body = self.guard(block[i + 1 :], kind, flag)
                out += test
            return out
        return out

    # --- return inside if: what follows moves into the branches, so that both return ---

    def close(self, block, ends):
        """A block in which an `if` with a return is last; if it `ends` the function, it returns on every path."""
        for i, s in enumerate(block):
            if isinstance(s, (ast.Return, ast.Raise)):
                return block[: i + 1]
            if isinstance(s, ast.If) and ends and _has([s], ast.Return):
                rest = block[i + 1 :]
                s.body = self.close(s.body + copy.deepcopy(rest), True)
                s.orelse = self.close(s.orelse + rest, True)
                s.reel_returns = True
                return block[:i] + [s]
            if isinstance(s, (ast.With, ast.Try)) and _has([s], ast.Return):
                last = not block[i + 1 :]
                if isinstance(s, ast.With) and ends and last:
                    s.body = self.close(s.body, True)
                    return block[:i] + [s]
                self.leave(s)
        if ends and not (block and isinstance(block[-1], ast.Raise)):
            return (
                block + [_at(ast.Return(_at(ast.Constant(None), block[-1])), block[-1])]
                if block
                else _parse("return None", self.definition)
            )
        return block

    @staticmethod
    def leave(statement):
        """Marks the `if`s inside that stay Python's, because they return from the middle of a block."""
        for node in _walk([statement]):
            if isinstance(node, ast.If) and _has([node], ast.Return):
                node.reel_native = True

    # --- if, while, for as calls ---

    def convert_block(self, block):
        out = []
        for s in block:
            if isinstance(s, _SCOPES):
                out.append(s)
                continue
            state = self.state_of(self.assigning(s))
            _map_blocks(s, self.convert_block)
            if isinstance(s, ast.If) and not getattr(s, "reel_native", False):
                out += self.convert_if(s, *state)
            elif isinstance(s, ast.While):
                out += self.convert_while(s, *state)
            elif isinstance(s, ast.For):
                out += self.convert_for(s, *state)
            else:
                out.append(s)
        return out

    @staticmethod
    def assigning(s):
        """The parts of a statement that can assign to variables when it runs as functions."""
        if isinstance(s, ast.If) and not getattr(s, "reel_native", False):
            return s.body + s.orelse
        if isinstance(s, ast.While):
            return s.body
        return [s.target] + s.body if isinstance(s, ast.For) else []

    def state_of(self, statements):
        """(names of local variables and places that the statements assign, declarations for a function around them)."""
        stored = _stored(statements)
        shared = [n for n in stored if n in self.globals]
        names = [n for n in stored if n not in self.globals and n not in self.nonlocals]
        self.tracked.update(dict.fromkeys(names))
        local = [n for n in stored if n not in self.globals]
        lines = [f"{kind} {', '.join(some)}" for kind, some in (("global", shared), ("nonlocal", local)) if some]
        return names + _places(statements, stored), lines

    def functions(self, at, names, declarations, bodies):
        """Definitions of body functions (name -> (parameters, statements)), and of two for the state."""
        out = []
        for name, (parameters, statements) in bodies.items():
            text = "\n    ".join([f"def {name}({parameters}):", *declarations, "pass"])
            definition = _parse(text, at)[0]
            definition.body = definition.body[:-1] + statements or definition.body
            out.append(definition)
        get, put = self.name("get"), self.name("set")
        local = [n for n in names if n.isidentifier()]
        places = {f"{_PREFIX}place_{i}": n for i, n in enumerate(names) if n not in local}
        read = local + [f"{RUNTIME}.place(lambda: {n}, {n!r})" for n in places.values()]
        out += _parse(f"def {get}():\n    return ({''.join(n + ', ' for n in read)})", at)
        lines = [f"nonlocal {', '.join(local)}"] if local else []
        lines.append(f"({''.join(n + ', ' for n in [*local, *places])}) = values")
        for value, n in places.items():
            lines.append(f"if {RUNTIME}.known({value}):\n        {n} = {value}")
            lines.append(
                f"else:\n        try:\n            del {n}\n        except {RUNTIME}.NO_PLACE:\n            pass"
            )
        own = "\n    ".join(lines)
        out += _parse(f"def {put}(values):\n    {own}\n", at)
        return out, f"{get}, {put}, {tuple([*local, *places.values()])!r}, {at.lineno}"

    @staticmethod
    def live_of(loop, names):
        """Those that are read after a loop, places all."""
        return tuple(n for n in names if n in loop.reel_live or not n.isidentifier())

    def convert_if(self, s, names, declarations):
        yes, no = self.name("body"), self.name("body")
        defs, state = self.functions(
            s, names, declarations, {yes: ("", s.body), no: ("", s.orelse or _parse("pass", s))}
        )
        returns = getattr(s, "reel_returns", False)
        call = _expression(f"{RUNTIME}.{'if_return' if returns else 'if_stmt'}(None, {yes}, {no}, {state})", s)
        call.args[0] = s.test
        statement = ast.Return(call) if returns else ast.Expr(call)
        return defs + [_at(statement, s)]

    def convert_while(self, s, names, declarations):
        test, body = self.name("body"), self.name("body")
        broken = getattr(s, "reel_broken", None)
        condition = s.test
        if broken:
            condition = _expression(f"not {broken} and None", s)
            condition.values[1] = s.test
        defs, state = self.functions(
            s, names, declarations, {body: ("", s.body), test: ("", [_at(ast.Return(condition), s)])}
        )
        return defs + _parse(f"{RUNTIME}.while_stmt({test}, {body}, {state}, {self.live_of(s, names)})", s)

    def convert_for(self, s, names, declarations):
        item = self.name("item")
        take = _at(ast.Assign([s.target], _at(ast.Name(item, ast.Load()), s)), s)
        body, test = self.name("body"), self.name("body")
        broken = getattr(s, "reel_broken", None)
        proceed = _parse(f"return not {broken}" if broken else "return True", s)
        defs, state = self.functions(s, names, declarations, {body: (item, [take] + s.body), test: ("", proceed)})
        live = self.live_of(s, names)
        call = _expression(f"{RUNTIME}.for_stmt(None, {test if broken else None}, {body}, {state}, {live})", s)
        call.args[0] = s.iter
        return defs + [_at(ast.Expr(call), s)]


class _Expressions(ast.NodeTransformer):
    """Rewrites and, or, not, conditional expressions, calls, and reads of names that may not be set."""

    def __init__(self, function):
        self.function = function

    def visit_FunctionDef(self, node):
        if node.name.startswith(_PREFIX):
            if not node.name.startswith((_PREFIX + "get", _PREFIX + "set")):
                node.body = [self.visit(s) for s in node.body]
        return node

    def visit_Lambda(self, node):
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load) and node.id in self.function.tracked:
            return _expression(f"{RUNTIME}.ld({node.id})", node)
        return node

    def _lazy(self, text, node, *parts):
        """A call whose arguments are the parts, evaluated when called."""
        call = _expression(text, node)
        for lam, part in zip([a for a in call.args if isinstance(a, ast.Lambda)], parts):
            lam.body = part
        return call

    def visit_BoolOp(self, node):
        if any(isinstance(n, ast.NamedExpr) for n in ast.walk(node)):
            return node
        self.generic_visit(node)
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        return self._lazy(f"{RUNTIME}.{name}({', '.join(['lambda: None'] * len(node.values))})", node, *node.values)

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return node
        call = _expression(f"{RUNTIME}.not_(None)", node)
        call.args[0] = node.operand
        return call

    def visit_Assert(self, node):
        self.generic_visit(node)
        call = self._lazy(f"{RUNTIME}.assert_(None, lambda: None)", node, node.msg or ast.Constant(None))
        call.args[0] = node.test
        return _at(ast.Expr(call), node)

    def visit_IfExp(self, node):
        if any(isinstance(n, ast.NamedExpr) for n in ast.walk(node)):
            return node
        self.generic_visit(node)
        call = self._lazy(
            f"{RUNTIME}.if_exp(None, lambda: None, lambda: None, {node.lineno})", node, node.body, node.orelse
        )
        call.args[0] = node.test
        return call

    def visit_Compare(self, node):
        self.generic_visit(node)
        middle = [node.left, *node.comparators][1:-1]
        if not middle or not all(
            isinstance(m, (ast.Name, ast.Constant)) or isinstance(m, ast.Call) and _is_load(m) for m in middle
        ):
            return node
        values = [node.left, *node.comparators]
        parts = [
            _at(ast.Compare(copy.deepcopy(values[i]), [op], [copy.deepcopy(values[i + 1])]), node)
            for i, op in enumerate(node.ops)
        ]
        return self._lazy(f"{RUNTIME}.and_({', '.join(['lambda: None'] * len(parts))})", node, *parts)

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args and self.function.parameters:
            return _expression(f"super(__class__, {self.function.parameters[0]})", node)
        plain = isinstance(node.func, ast.Name) and node.func.id in _NOT_CALLED or _is_load(node)
        self.generic_visit(node)
        if not plain and isinstance(node.func, (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Lambda)):
            call = _expression(f"{RUNTIME}.call(None)", node)
            call.args[0] = node.func
            node.func = call
        return node


def _is_load(node):
    """Whether it is a call that this file made."""
    f = node.func
    return isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name) and f.value.id == RUNTIME
