// A page of a Flutter app that listens to the app's events and never stops: doc/tutorials/dart.md.
import 'dart:async';
import 'dart:typed_data';

import 'package:flutter/widgets.dart';

class EventBus {
  static final EventBus instance = EventBus();
  final StreamController<String> _controller = StreamController<String>.broadcast();

  Stream<String> get events => _controller.stream;
}

class HomePage extends StatefulWidget {
  const HomePage({super.key});

  @override
  State<HomePage> createState() => _HomePageState();
}

class _HomePageState extends State<HomePage> {
  String _title = 'Home';
  final Uint8List _cache = Uint8List(200);
  StreamSubscription<String>? _subscription;

  @override
  void initState() {
    super.initState();
    _subscription = EventBus.instance.events.listen(_onEvent);
  }

  void _onEvent(String event) => setState(() => _title = event);

  @override
  Widget build(BuildContext context) => Text('$_title, ${_cache.length} bytes cached');
}
